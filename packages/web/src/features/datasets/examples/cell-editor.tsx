import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getMember, setMember } from '@touchstone/formats/edit-json'
import { parseJson } from '@touchstone/formats/locate-json'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { PopoverAt } from '#ui/popover-layer.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { createSchemaCheck } from '../schema/schema-check.ts'
import { listFields, type SchemaField } from '../schema/schema-form.ts'
import type { MemberColumn } from './logic/columns.ts'
import {
  type DraftChanges,
  dropSaved,
  type ExampleDraft,
  locateSaveProblems,
  startDraft,
} from './logic/example-draft.ts'
import type { StoredExample } from './logic/stored-example.ts'
import { exampleQuery } from './queries.ts'
import { readDraft, type Schemas, saveOnNewest, useDraft, writeDraft } from './use-example-editor.ts'
import { ValueControl } from './value-control.tsx'

/** The cell that is edited in place. */
export interface EditedCell {
  readonly exampleId: string
  readonly column: MemberColumn
}

export interface CellEditorProps {
  datasetId: string
  cell: EditedCell
  schemas: Schemas
  onClose: () => void
  /** Opens the whole example, for values that are not edited in place. */
  onOpen: () => void
}

/**
 * Edits a text, a number or a flag of an example below its cell in the table. Everything else opens the example. What was
 * typed stays a draft of the example when the editor is closed by Esc or a press outside.
 */
export function CellEditor({ datasetId, cell, schemas, onClose, onOpen }: CellEditorProps) {
  const { exampleId, column } = cell
  const example = useQuery(exampleQuery.one(datasetId, exampleId))
  const [isInvalid, setInvalid] = useState(false)
  function leave() {
    // A text that is no value cannot be a draft, so the editor stays open and shows why.
    if (isInvalid) return
    if (example.data && readEdit(example.data, readDraft(exampleId), column).kind === 'member') {
      const discard = { label: 'Discard', run: () => writeDraft(exampleId, {}) }
      toast.done(`Kept ${column.key} as an unsaved change`, discard)
    }
    onClose()
  }
  const label = `${column.section}: ${column.key}`
  // The layer gives the focus to its first field when it opens.
  if (example.isPending) return null
  return (
    <PopoverAt label={`Edit ${column.key}`} x={0} y={20} align="start" onClose={leave}>
      <div className="flex w-88 max-w-[calc(100vw-40px)] flex-col gap-2">
        {example.isError && (
          <ErrorState
            compact
            title="Could not load the example"
            error={example.error}
            onRetry={() => void example.refetch()}
          />
        )}
        {example.data && (
          <CellForm
            stored={example.data}
            isInvalid={isInvalid}
            onValidity={setInvalid}
            {...{ column, label, schemas, onClose, onOpen }}
          />
        )}
      </div>
    </PopoverAt>
  )
}

interface CellFormProps extends Pick<CellEditorProps, 'schemas' | 'onClose' | 'onOpen'> {
  stored: StoredExample
  column: MemberColumn
  label: string
  isInvalid: boolean
  onValidity: (isInvalid: boolean) => void
}

function CellForm({ stored, column, label, schemas, isInvalid, onValidity, onClose, onOpen }: CellFormProps) {
  const { section, key } = column
  const id = useId()
  const queryClient = useQueryClient()
  const schema = section === 'metadata' ? undefined : schemas[section]
  const field = listFields(schema, stored[section] === '' ? '{}' : stored[section]).find((one) => one.key === key)
  const edit = readEdit(stored, useDraft(stored.id), column)
  const value = edit.kind === 'member' ? edit.value : field?.value
  const next = value === undefined ? undefined : setMember(stored[section], key, value)
  const check = useMemo(() => createSchemaCheck(schema), [schema])
  const save = useMutation({
    mutationFn: (draft: ExampleDraft) =>
      saveOnNewest(queryClient, stored, { [section]: draft[section] }, { [section]: stored[section] }),
    onSuccess: (_, draft) => {
      // What was typed meanwhile stays unsaved.
      writeDraft(stored.id, dropSaved(readDraft(stored.id), draft))
      toast.done(`Saved ${key}`)
      onClose()
    },
  })
  if (field === undefined || !isScalar(field) || edit.kind === 'elsewhere') {
    return <NotInPlace isDraft={edit.kind === 'elsewhere'} name={key} onOpen={onOpen} />
  }
  const isChanged = next !== undefined && value !== field.value
  // Problems elsewhere in the example are not those of this cell.
  const known = new Set(check(stored[section]).map(({ message }) => message))
  const problems = isChanged ? check(next).filter(({ message }) => !known.has(message)) : []
  const refused = save.isError && next !== undefined ? readRefusal(save.error, stored, section, next) : []
  const canSave = isChanged && !isInvalid && problems.length === 0 && !save.isPending
  const submit = () =>
    canSave ? save.mutate({ ...startDraft(stored), [section]: next }) : !isChanged && !isInvalid && onClose()
  const change = (typed: string | undefined) =>
    writeDraft(
      stored.id,
      typed === undefined || typed === field.value ? {} : { [section]: setMember(stored[section], key, typed) },
      startDraft(stored),
    )
  function cancel() {
    writeDraft(stored.id, {})
    onClose()
  }
  function press(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    if (!(event.target instanceof HTMLElement) || !event.target.matches('textarea, input')) return
    event.preventDefault()
    submit()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter saves from the field inside
    <div onKeyDown={press} className="flex flex-col gap-2 text-row">
      <label htmlFor={id} className="truncate font-medium text-fg-muted">
        {key}
      </label>
      <ValueControl
        id={id}
        field={field}
        value={value ?? ''}
        label={label}
        readOnly={save.isPending}
        onChange={change}
        onSave={submit}
        onValidity={onValidity}
      />
      <ul aria-live="polite" className="flex flex-col gap-0.5 text-err empty:hidden">
        {[...problems.map(({ message }) => message), ...refused].map((message) => (
          <li key={message} className="break-words">
            {message}
          </li>
        ))}
      </ul>
      {save.isError && refused.length === 0 && (
        <ErrorState compact title="Could not save the value" error={save.error} onRetry={submit} />
      )}
      <div className="flex items-center justify-end gap-2">
        <span className="mr-auto text-meta text-fg-subtle">
          {field.kind === 'text' ? 'Enter saves, Shift Enter starts a line' : 'Enter saves'}
        </span>
        <Button look="quiet" onClick={cancel}>
          Cancel
        </Button>
        <Button look="primary" disabled={!canSave} aria-busy={save.isPending} onClick={submit}>
          Save
        </Button>
      </div>
    </div>
  )
}

/** What the draft of an example changes: nothing, one member, or anything else. */
type CellEdit = { kind: 'none' } | { kind: 'member'; value: string } | { kind: 'elsewhere' }

function readEdit(stored: StoredExample, changes: DraftChanges, { section, key }: MemberColumn): CellEdit {
  const fields = Object.keys(changes)
  if (fields.length === 0) return { kind: 'none' }
  const text = changes[section]
  if (fields.length > 1 || text === undefined || 'problem' in parseJson(text)) return { kind: 'elsewhere' }
  const value = getMember(text, key)
  const isMember = value !== undefined && setMember(stored[section], key, value) === text
  return isMember ? { kind: 'member', value } : { kind: 'elsewhere' }
}

/** Text, number, flag, choice or null. */
function isScalar({ kind, value }: SchemaField): boolean {
  return value !== undefined && (kind !== 'json' || value === 'null')
}

function readRefusal(error: unknown, stored: StoredExample, section: MemberColumn['section'], text: string): string[] {
  const { parts } = locateSaveProblems(error, { ...startDraft(stored), [section]: text })
  return [...new Set(Object.values(parts).flatMap((problems) => problems.map(({ message }) => message)))]
}

function NotInPlace({ isDraft, name, onOpen }: { isDraft: boolean; name: string; onOpen: () => void }) {
  return (
    <div className="flex flex-col gap-2 text-row">
      <p>
        {isDraft
          ? 'This example has unsaved changes. Save or discard them first.'
          : `${name} is not a text, a number or a flag. Edit it in the example.`}
      </p>
      <div className="flex justify-end">
        <Button look="primary" autoFocus onClick={onOpen}>
          Open the example
        </Button>
      </div>
    </div>
  )
}
