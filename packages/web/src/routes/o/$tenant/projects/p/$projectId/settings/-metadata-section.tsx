import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { Plus, Trash2, Undo2 } from 'lucide-react'
import { useMay } from '#data/me.ts'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { CONTROL } from '#ui/field.tsx'
import { type Change, FormSection } from '#ui/form-section.tsx'
import { useDraft } from '#ui/hooks.tsx'
import { toast } from '#ui/toast.tsx'

/** Metadata of the project. Projects can be filtered by it. */
export function MetadataSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const saved = toMetadataRows(project)
  const draft = useDraft<{ rows: readonly MetadataRow[] }>({ rows: saved })
  const save = useMutation({ ...projectMutation.update(), onSuccess: () => refreshProjects(queryClient) })
  const { rows } = draft.value
  const changes = listChanges(saved, rows)
  const change = (at: number, edit: Partial<MetadataRow>) =>
    draft.set({ rows: rows.map((row, index) => (index === at ? { ...row, ...edit } : row)) })
  /** Removes an unsaved key at once, and a saved key with the next save. */
  function toggleRemoved(at: number) {
    const savedRow = saved[at]
    if (savedRow === undefined) draft.set({ rows: rows.toSpliced(at, 1) })
    else change(at, { isRemoved: !rows[at]?.isRemoved, value: savedRow.value })
  }
  return (
    <FormSection
      title="Metadata"
      description="Values are text, or JSON if they are valid JSON (3, true, [1, 2])."
      changes={changes}
      isSaving={save.isPending}
      isInvalid={rows.some((row, at) => row.key === '' || rows.findIndex(({ key }) => key === row.key) !== at)}
      error={save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          {
            id: project.id,
            change: {
              metadata: Object.fromEntries(
                rows
                  .filter((row) => !row.isRemoved && changes.some(({ label }) => label === row.key))
                  .map((row) => [row.key, parseValue(row.value)]),
              ),
              removedMetadata: rows.filter(({ isRemoved }) => isRemoved).map(({ key }) => key),
            },
          },
          {
            onSuccess: () => {
              draft.settle(draft.value)
              toast.done('Saved the metadata')
            },
          },
        )
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {rows.length > 0 && (
        <div className="flex flex-col gap-1.5">
          {rows.map(({ key, value, isRemoved }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a new row has no id besides its position
            <div key={at} className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] gap-2">
              <input
                aria-label={`Key ${at + 1}`}
                value={key}
                disabled={at < saved.length}
                spellCheck={false}
                placeholder="key"
                onChange={(event) => change(at, { key: event.target.value })}
                className={`${CONTROL} font-mono text-row`}
              />
              <input
                aria-label={`Value of ${key || `key ${at + 1}`}`}
                value={value}
                spellCheck={false}
                placeholder="value"
                disabled={isRemoved}
                onChange={(event) => change(at, { value: event.target.value })}
                className={`${CONTROL} font-mono text-row disabled:line-through`}
              />
              <IconButton
                icon={isRemoved ? Undo2 : Trash2}
                label={`${isRemoved ? 'Keep' : 'Remove'} ${key || `key ${at + 1}`}`}
                onClick={() => toggleRemoved(at)}
                className="self-center"
              />
            </div>
          ))}
        </div>
      )}
      <div>
        <Button onClick={() => draft.set({ rows: [...rows, { key: '', value: '' }] })}>
          <Plus size={13} aria-hidden />
          Add key
        </Button>
      </div>
    </FormSection>
  )
}

/** A metadata key and its value as text. */
interface MetadataRow {
  key: string
  value: string
  /** Whether the key is removed on save. */
  isRemoved?: boolean
}

function toMetadataRows(project: Project): MetadataRow[] {
  const metadata = (project.extra?.metadata ?? {}) as Record<string, unknown>
  return Object.entries(metadata).map(([key, value]) => ({ key, value: printValue(value) }))
}

/** Text unchanged, unless it is valid JSON. Other values as JSON. */
function printValue(value: unknown): string {
  return typeof value === 'string' && parseValue(value) === value ? value : JSON.stringify(value)
}

/** Parses a typed value: JSON if it is valid JSON, else text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function listChanges(saved: readonly MetadataRow[], rows: readonly MetadataRow[]): Change[] {
  return rows.flatMap(({ key, value, isRemoved }, at) => {
    const before = saved[at]
    if (isRemoved) return [{ label: key, from: before?.value, to: '(removed)' }]
    if (before?.value === value || (key === '' && value === '')) return []
    return [{ label: key, from: before?.value, to: value }]
  })
}
