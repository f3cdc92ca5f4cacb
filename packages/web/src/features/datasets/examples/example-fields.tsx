import { Paperclip, X } from 'lucide-react'
import { useId, useState } from 'react'
import { FileList, toFileItem } from '#features/payloads/files/file-list.tsx'
import { formatBytes } from '#lib/format.ts'
import { Button, buttonLook, IconButton } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import type { ExampleDraft } from './logic/example-draft.ts'
import type { StoredFile } from './logic/stored-example.ts'

interface SplitsFieldProps {
  splits: readonly string[]
  onChange: (splits: readonly string[]) => void
  /** Splits of the dataset, suggested while the user types. */
  known: readonly string[]
  readOnly: boolean
}

/** The splits of an example as labels, and a field that adds one. */
export function SplitsField({ splits, onChange, known, readOnly }: SplitsFieldProps) {
  const [name, setName] = useState('')
  const typed = name.trim()
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {splits.map((split) => (
        <span
          key={split}
          className="inline-flex max-w-60 items-center gap-1 rounded-control bg-sunken px-2 py-0.5 text-row"
        >
          <span className="truncate">{split}</span>
          {!readOnly && splits.length > 1 && (
            <button
              type="button"
              aria-label={`Remove from the split ${split}`}
              onClick={() => onChange(splits.filter((one) => one !== split))}
              className="inline-flex size-6 items-center justify-center rounded-control text-fg-muted hover:bg-hover coarse:size-10"
            >
              <X size={12} aria-hidden />
            </button>
          )}
        </span>
      ))}
      {!readOnly && (
        <form
          className="flex items-center gap-1.5"
          onSubmit={(event) => {
            event.preventDefault()
            if (typed !== '' && !splits.includes(typed)) onChange([...splits, typed])
            setName('')
          }}
        >
          <Combobox
            aria-label="Add to a split"
            placeholder={splits.length === 0 ? 'Split (base)' : 'Add to a split'}
            value={name}
            onChange={setName}
            suggestions={known.filter((one) => !splits.includes(one))}
            className="w-40"
          />
          <Button type="submit" disabled={typed === ''}>
            Add
          </Button>
        </form>
      )}
    </div>
  )
}

interface AttachmentsFieldProps {
  stored: readonly StoredFile[]
  draft: ExampleDraft
  onChange: (part: Pick<ExampleDraft, 'kept' | 'added'>) => void
  readOnly: boolean
}

/** Attachments of an example: stored ones with a preview, and files that the next save adds. */
export function AttachmentsField({ stored, draft, onChange, readOnly }: AttachmentsFieldProps) {
  const id = useId()
  const { kept, added } = draft
  const files = stored
    .filter(({ name }) => kept.includes(name))
    .flatMap(({ name, url, mimeType }) => toFileItem(name, url, mimeType) ?? [])
  function add(chosen: HTMLInputElement['files']) {
    const news = [...(chosen ?? [])].map((file) => ({
      name: file.name,
      mimeType: file.type || 'application/octet-stream',
      data: file,
    }))
    const names = new Set(news.map(({ name }) => name))
    onChange({
      // A file replaces one of the same name.
      kept: kept.filter((name) => !names.has(name)),
      added: [...added.filter(({ name }) => !names.has(name)), ...news],
    })
  }
  return (
    <div className="flex flex-col gap-2">
      {files.length + added.length === 0 && <p className="text-row text-fg-subtle">No attachments</p>}
      {files.length > 0 && (
        <FileList
          files={files}
          onRemove={readOnly ? undefined : (name) => onChange({ kept: kept.filter((one) => one !== name), added })}
        />
      )}
      {added.map(({ name, mimeType, data }) => (
        <div key={name} className="flex items-center gap-2 text-row">
          <Paperclip size={13} aria-hidden className="shrink-0 text-fg-muted" />
          <span className="min-w-0 truncate">{name}</span>
          <span className="shrink-0 text-fg-muted">
            {mimeType}, {formatBytes(data.size)}, added with the next save
          </span>
          <IconButton
            icon={X}
            label={`Remove ${name}`}
            onClick={() => onChange({ kept, added: added.filter((one) => one.name !== name) })}
          />
        </div>
      ))}
      {!readOnly && (
        <div>
          <label
            htmlFor={id}
            className={`${buttonLook()} cursor-pointer focus-within:outline-2 focus-within:outline-accent`}
          >
            <Paperclip size={13} aria-hidden />
            Add files
            <input
              id={id}
              type="file"
              multiple
              className="sr-only"
              onChange={(event) => {
                add(event.target.files)
                event.target.value = ''
              }}
            />
          </label>
        </div>
      )}
    </div>
  )
}
