import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { Plus, Trash2, Undo2 } from 'lucide-react'
import { useMay } from '#features/accounts/me.ts'
import { isOvertaken } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { CONTROL } from '#ui/field.tsx'
import { type Change, FormSection } from '#ui/form-section.tsx'
import { toast } from '#ui/toast.tsx'
import { type Draft, hasShapeOf, useDraft, useKeptState } from '#ui/use-draft.tsx'
import { projectMutation, refreshProjects } from '../queries.ts'

/** Text of each metadata key; null for a key that the next save removes. */
type Metadata = Readonly<Record<string, string | null>>

interface NewKey {
  key: string
  value: string
}

const NONE_ADDED: readonly NewKey[] = []
const EMPTY: NewKey = { key: '', value: '' }

function listChanges(saved: Metadata, { changed, value }: Draft<Metadata>, entered: readonly NewKey[]): Change[] {
  return [
    ...changed.map((key) => ({ label: key, from: saved[key] ?? undefined, to: value[key] ?? '(removed)' })),
    ...entered.map(({ key, value: to }) => ({ label: key, to })),
  ]
}

/** The keys that are being added; they survive a reload. */
function useNewKeys(projectId: string) {
  const [added, setAdded] = useKeptState<readonly NewKey[]>(
    `new metadata of project ${projectId}`,
    NONE_ADDED,
    toNewKeys,
    (now) => (now.length === 0 ? undefined : now),
  )
  return [added, setAdded] as const
}

function toNewKeys(kept: unknown): readonly NewKey[] | undefined {
  return Array.isArray(kept) && kept.every((one) => hasShapeOf(EMPTY, one)) ? (kept as NewKey[]) : undefined
}

/** Metadata of the project. Projects can be filtered by it. */
export function MetadataSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const stored = (project.extra?.metadata ?? {}) as Record<string, unknown>
  const saved = printMetadata(stored)
  const draft = useDraft(saved, `metadata of project ${project.id}`)
  const [added, setAdded] = useNewKeys(project.id)
  const save = useMutation({
    ...projectMutation.update(),
    // Also after a failure: others may have changed the project.
    onSettled: () => refreshProjects(queryClient),
  })
  const entered = added.filter(({ key, value }) => key !== '' || value !== '')
  // Keys that were added here and elsewhere, known after a save was refused.
  const doubled = isOvertaken(save.error) ? added.filter(({ key }) => Object.hasOwn(saved, key)) : []
  // A key that both sides have removed is no conflict.
  const overtaken = draft.overtaken.filter((key) => (draft.value[key] ?? null) !== (saved[key] ?? null))
  // What is being saved comes back before the draft ends.
  const conflicts = save.isPending
    ? []
    : [
        ...overtaken.map((key) => toConflict(key, saved[key], draft.value[key])),
        ...doubled.map(({ key, value }) => toConflict(key, saved[key], value)),
      ]
  const keys = [...Object.keys(draft.value), ...added.map(({ key }) => key)]

  function forgetFailure() {
    if (save.isError && !isOvertaken(save.error)) save.reset()
  }
  function changeAdded(at: number, edit: Partial<NewKey>) {
    setAdded(added.map((one, index) => (index === at ? { ...one, ...edit } : one)))
    forgetFailure()
  }
  function change(key: string, value: string | null) {
    draft.set({ [key]: value })
    forgetFailure()
  }
  function discard() {
    draft.discard()
    setAdded([])
    save.reset()
  }
  function submit() {
    const removed = draft.changed.filter((key) => draft.value[key] === null)
    const changed = draft.changed.filter((key) => !removed.includes(key))
    const texts = [...changed.map((key) => [key, draft.value[key] ?? ''] as const), ...added.map(toEntry)]
    const bases = [...draft.changed, ...added.map(({ key }) => key)].map((key) => [key, stored[key] ?? null] as const)
    save.mutate(
      {
        id: project.id,
        change: {
          metadata: Object.fromEntries(texts.map(([key, text]) => [key, parseValue(text)])),
          removedMetadata: removed,
          expected: { extra: { metadata: Object.fromEntries(bases) } },
        },
      },
      {
        onSuccess: () => {
          draft.settle(draft.value)
          setAdded((now) => now.filter((one) => !added.includes(one)))
          toast.done('Saved the metadata')
        },
      },
    )
  }
  return (
    <FormSection
      title="Metadata"
      description="Values are text, or JSON if they are valid JSON (3, true, [1, 2])."
      changes={listChanges(saved, draft, entered)}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      isInvalid={keys.includes('') || new Set(keys).size < keys.length || conflicts.length > 0}
      error={conflicts.length > 0 ? undefined : save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={submit}
      onDiscard={discard}
    >
      {conflicts.length > 0 && (
        <EditConflict
          what="the metadata"
          fields={conflicts}
          keepLabel="Keep mine"
          onKeep={() => {
            draft.keep()
            draft.set(Object.fromEntries(doubled.map(toEntry)))
            setAdded(added.filter((one) => !doubled.includes(one)))
            save.reset()
          }}
          onTake={() => {
            draft.follow(draft.overtaken)
            setAdded(added.filter((one) => !doubled.includes(one)))
            save.reset()
          }}
        />
      )}
      <MetadataRows
        draft={draft.value}
        saved={saved}
        added={added}
        onChange={change}
        onFollow={(key) => draft.follow([key])}
        onAdded={changeAdded}
        onDrop={(at) => setAdded(added.toSpliced(at, 1))}
      />
      <div>
        <Button onClick={() => setAdded([...added, { key: '', value: '' }])}>
          <Plus size={13} aria-hidden />
          Add key
        </Button>
      </div>
    </FormSection>
  )
}

interface MetadataRowsProps {
  draft: Metadata
  saved: Metadata
  added: readonly NewKey[]
  onChange: (key: string, value: string | null) => void
  /** Discards the edit of a saved key. */
  onFollow: (key: string) => void
  onAdded: (at: number, edit: Partial<NewKey>) => void
  onDrop: (at: number) => void
}

/** The saved keys and those that are added. */
function MetadataRows({ draft, saved, added, onChange, onFollow, onAdded, onDrop }: MetadataRowsProps) {
  if (Object.keys(draft).length + added.length === 0) return null
  return (
    <div className="flex flex-col gap-1.5">
      {Object.entries(draft).map(([key, value], at) => (
        <MetadataRow
          key={key}
          at={at}
          name={key}
          // The key was removed elsewhere, or is removed by the next save.
          value={value ?? saved[key] ?? ''}
          isRemoved={value === null}
          onChange={(text) => onChange(key, text)}
          onToggle={() => (value === null ? onFollow(key) : onChange(key, null))}
        />
      ))}
      {added.map(({ key, value }, at) => (
        <MetadataRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a new row has no id besides its position
          key={at}
          at={Object.keys(draft).length + at}
          name={key}
          value={value}
          onRename={(name) => onAdded(at, { key: name })}
          onChange={(text) => onAdded(at, { value: text })}
          onToggle={() => onDrop(at)}
        />
      ))}
    </div>
  )
}

interface MetadataRowProps {
  /** Position among all rows. */
  at: number
  name: string
  value: string
  /** Whether the next save removes the key. */
  isRemoved?: boolean
  /** Absent for a saved key. */
  onRename?: (name: string) => void
  onChange: (value: string) => void
  /** Removes the key, or keeps it after all. */
  onToggle: () => void
}

function MetadataRow({ at, name, value, isRemoved = false, onRename, onChange, onToggle }: MetadataRowProps) {
  const title = name || `key ${at + 1}`
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] gap-2">
      <input
        aria-label={`Key ${at + 1}`}
        value={name}
        disabled={onRename === undefined}
        spellCheck={false}
        placeholder="key"
        onChange={(event) => onRename?.(event.target.value)}
        className={`${CONTROL} font-mono text-row`}
      />
      <input
        aria-label={`Value of ${title}`}
        value={value}
        spellCheck={false}
        placeholder="value"
        disabled={isRemoved}
        onChange={(event) => onChange(event.target.value)}
        className={`${CONTROL} font-mono text-row disabled:line-through`}
      />
      <IconButton
        icon={isRemoved ? Undo2 : Trash2}
        label={`${isRemoved ? 'Keep' : 'Remove'} ${title}`}
        onClick={onToggle}
        className="self-center"
      />
    </div>
  )
}

const toEntry = ({ key, value }: NewKey) => [key, value] as const

function toConflict(label: string, theirs: string | null | undefined, mine: string | null | undefined) {
  return { label, theirs: theirs ?? '', mine: mine ?? '' }
}

function printMetadata(metadata: Readonly<Record<string, unknown>>): Metadata {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, printValue(value)]))
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
