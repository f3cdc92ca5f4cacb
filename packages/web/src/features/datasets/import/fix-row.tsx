import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Field, TEXT_AREA } from '#ui/field.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import type { BadRow } from './import-session.ts'
import type { RowSource } from './read-rows.ts'

interface FixRowProps {
  row: BadRow
  /** Titles of the columns of a CSV file. */
  titles: readonly string[]
  onEdit: () => void
  /** @returns what is still wrong */
  onSave: (source: RowSource) => Promise<readonly string[]>
  onClose: () => void
}

/** Edits a bad row: its cells, or its JSON. */
export function FixRow({ row, titles, onEdit, onSave, onClose }: FixRowProps) {
  const [source, setSource] = useState<RowSource>(() =>
    typeof row.source === 'string' ? row.source : titles.map((_, index) => row.source[index] ?? ''),
  )
  const [isSaving, setSaving] = useState(false)
  function edit(next: RowSource) {
    setSource(next)
    onEdit()
  }
  async function save() {
    setSaving(true)
    const problems = await onSave(source)
    setSaving(false)
    if (problems.length === 0) onClose()
  }
  return (
    <form
      className="flex flex-col gap-2 py-2 pl-[76px] max-sm:pl-0"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void save()
      }}
    >
      {typeof source === 'string' ? (
        <JsonEditor label="JSON of the row" value={source} onChange={edit} onSave={() => void save()} />
      ) : (
        <div className="grid gap-2 sm:grid-cols-2">
          {source.map((cell, index) => (
            <Field key={titles[index]} label={titles[index]}>
              <textarea
                dir="auto"
                value={cell}
                rows={1}
                spellCheck={false}
                onChange={(event) => edit(source.map((one, at) => (at === index ? event.target.value : one)))}
                className={`${TEXT_AREA} !min-h-8`}
              />
            </Field>
          ))}
        </div>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={isSaving}>
          Save row
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}
