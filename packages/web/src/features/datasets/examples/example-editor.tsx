import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useMemo } from 'react'
import { pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { DraftRestored } from '#ui/form-section.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { Kbd, useShortcuts } from '#ui/shortcuts.tsx'
import { ErrorState } from '#ui/states.tsx'
import { AttachmentsField, SplitsField } from './example-fields.tsx'
import { ExampleForm, useEditMode } from './example-form.tsx'
import { containsChat } from './logic/chat-messages.ts'
import { FIELD_LABELS, PART_LABELS, type Part, printField } from './logic/example-draft.ts'
import { exampleQuery } from './queries.ts'
import { type EditorOptions, type ExampleEditorState, useExampleEditor } from './use-example-editor.ts'

/** Inputs, reference outputs, metadata, splits and attachments of an example, checked while they are edited. */
export function ExampleEditor(options: EditorOptions) {
  const { datasetId, stored, schemas, readOnly } = options
  const editor = useExampleEditor(options)
  const { draft, change } = editor
  const { saved } = options
  const hasMessages = useMemo(() => [saved.inputs, saved.outputs].some(containsChat), [saved])
  const { mode, modes } = useEditMode(hasMessages)
  const splits = useQuery(exampleQuery.splits(datasetId))
  useShortcuts('List', [{ keys: 'mod+s', label: 'Save the example', run: editor.submit }])
  const part = { editor, schemas, readOnly, isForm: mode === 'form' }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-border px-3 coarse:h-12">
        {modes}
        {!readOnly && (
          <SaveBar
            editor={editor}
            isNew={stored === undefined}
            hasSchema={schemas.inputs != null || schemas.outputs != null}
          />
        )}
      </div>
      {editor.overtaken.length > 0 && (
        <div className="max-h-[60%] shrink-0 overflow-y-auto p-3 pb-0">
          <EditConflict
            what="this example"
            fields={editor.overtaken.map((field) => ({
              label: FIELD_LABELS[field],
              theirs: printField(field, saved),
              mine: printField(field, draft),
            }))}
            onKeep={editor.keepMine}
            onTake={editor.takeTheirs}
          />
        </div>
      )}
      {editor.isRestored && (
        <div className="shrink-0 px-3 pt-3">
          <DraftRestored onDiscard={editor.discard} />
        </div>
      )}
      {editor.error !== null && <ErrorState compact title="Could not save the example" error={editor.error} />}
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3">
        <PartSection part="inputs" {...part} />
        <PartSection part="outputs" {...part} />
        <Section title="Splits">
          <SplitsField
            splits={draft.splits}
            known={splits.data ?? []}
            onChange={(next) => change({ splits: next })}
            readOnly={readOnly}
          />
        </Section>
        <PartSection part="metadata" {...part} />
        <Section title="Attachments">
          <AttachmentsField stored={stored?.files ?? []} draft={draft} onChange={change} readOnly={readOnly} />
        </Section>
      </div>
    </div>
  )
}

function SaveBar({ editor, isNew, hasSchema }: { editor: ExampleEditorState; isNew: boolean; hasSchema: boolean }) {
  const problems = editor.countProblems()
  return (
    <div className="ml-auto flex items-center gap-2 text-row">
      <span role="status" className={problems > 0 ? 'text-err' : 'text-fg-muted'}>
        {problems > 0
          ? pluralize(problems, 'problem')
          : editor.isChanged && !isNew
            ? 'Unsaved changes'
            : hasSchema
              ? 'Schema OK'
              : ''}
      </span>
      {editor.isChanged && !isNew && (
        <Button look="quiet" onClick={editor.discard}>
          Discard
        </Button>
      )}
      <Button look="primary" disabled={!editor.canSave} aria-busy={editor.isSaving} onClick={editor.submit}>
        {isNew ? 'Create' : 'Save'}
        <span className="max-sm:hidden">
          <Kbd keys="mod+s" />
        </span>
      </Button>
    </div>
  )
}

interface PartSectionProps {
  part: Part
  editor: ExampleEditorState
  schemas: EditorOptions['schemas']
  readOnly: boolean
  isForm: boolean
}

function PartSection({ part, editor, schemas, readOnly, isForm }: PartSectionProps) {
  const { draft, change, checks, submit, discards, onValidity } = editor
  const label = PART_LABELS[part]
  const props = { label, readOnly, onSave: submit }
  const setText = (text: string) => change({ [part]: text })
  return (
    <Section title={label}>
      {isForm ? (
        <>
          <ExampleForm
            key={discards}
            {...props}
            onValidity={onValidity}
            json={draft[part]}
            onChange={setText}
            schema={part === 'metadata' ? undefined : schemas[part]}
          />
          <FormProblems text={draft[part]} check={checks[part]} />
        </>
      ) : (
        <JsonEditor
          {...props}
          value={draft[part]}
          onChange={setText}
          check={checks[part]}
          mayBeEmpty={part !== 'inputs'}
        />
      )}
    </Section>
  )
}

/** Violations of the schema, below a form. */
function FormProblems({ text, check }: { text: string; check: ExampleEditorState['checks'][Part] }) {
  if (!text.trim().startsWith('{')) return null
  let problems: ReturnType<typeof check>
  try {
    problems = check(text)
  } catch {
    return null // not JSON; shown by the form
  }
  return (
    <ul aria-live="polite" className="mt-2 flex flex-col gap-0.5 text-row text-err empty:hidden">
      {problems.map(({ from, to, message }) => (
        <li key={`${from} ${message}`} className="break-words">
          {text.slice(from, Math.min(to, from + 40))}: {message}
        </li>
      ))}
    </ul>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-1 text-row font-semibold text-fg-muted">
        {title}
      </h2>
      {children}
    </section>
  )
}
