import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SavedEvaluator, SavedEvaluatorVersion, SavedEvaluatorVersionWrite } from '@touchstone/sdk'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { isSameJson } from '#lib/changes.ts'
import { describeFailure } from '#lib/errors.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { TextField } from '#ui/field.tsx'
import { DraftRestored, LeaveGuard } from '#ui/form-section.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { hasShapeOf, useKeptState } from '#ui/use-draft.tsx'
import { type EvaluatorDraft, toDefinition, toDraft } from './draft.ts'
import { listConflicts } from './draft-conflicts.ts'
import { DefinitionEditor } from './editor/definition-editor.tsx'
import { evaluatorMutation } from './queries.ts'

interface DefinitionTabProps {
  tenant: string
  evaluator: SavedEvaluator
  newest: SavedEvaluatorVersion
}

/** The version that is edited. */
interface Base {
  readonly version: number
  readonly draft: EvaluatorDraft
}

const toBase = ({ version, definition }: SavedEvaluatorVersion): Base => ({ version, draft: toDraft(definition) })

interface DefinitionEdit {
  readonly base: Base
  readonly draft: EvaluatorDraft
  /** What changes. */
  readonly note: string
  readonly isRestored?: true
}

const startEdit = (base: Base): DefinitionEdit => ({ base, draft: base.draft, note: '' })

/** The edit of before a reload; an older version of the page may have kept other fields. */
function restoreEdit(kept: unknown, newest: Base): DefinitionEdit | undefined {
  const { base, draft, note } = (kept ?? {}) as Partial<DefinitionEdit>
  const isDraft = (value: unknown) => hasShapeOf(newest.draft, value)
  if (typeof base?.version !== 'number' || !isDraft(base.draft) || !isDraft(draft)) return undefined
  return { base, draft: draft as EvaluatorDraft, note: String(note ?? ''), isRestored: true }
}

/**
 * The newest definition. A change is saved as a new version; versions before it stay. What is typed stays too when
 * another version appears meanwhile: both are shown, and the user chooses.
 */
export function DefinitionTab({ tenant, evaluator, newest }: DefinitionTabProps) {
  const mayWrite = useMay('member')
  const [{ base, draft, note, isRestored }, setEdit, dropKept, isKept] = useKeptState<DefinitionEdit>(
    `evaluator ${evaluator.id}`,
    startEdit(toBase(newest)),
    (kept) => restoreEdit(kept, toBase(newest)),
    (edit) => (isSameJson(edit.draft, edit.base.draft) ? undefined : edit),
  )
  const [isChecked, setChecked] = useState(false)
  const result = toDefinition(draft)
  const isChanged = !isSameJson(draft, base.draft)
  const change = (part: Partial<DefinitionEdit>) => setEdit((edit) => ({ ...edit, ...part }))
  function start(next: Base) {
    dropKept()
    setEdit(startEdit(next))
    setChecked(false)
  }
  function discard() {
    start(newest.version > base.version ? toBase(newest) : base)
    save.reset()
  }
  // Versions are read again after a save, so the newest one can also be older than the one that was saved.
  if (!isChanged && newest.version > base.version) start(toBase(newest))
  const { mutationFn: addVersion, onSettled } = evaluatorMutation.addVersion(useQueryClient(), evaluator.id)
  const save = useMutation({
    mutationFn: ({ write }: { write: SavedEvaluatorVersionWrite; sent: EvaluatorDraft }) => addVersion(write),
    onSettled,
    onSuccess: ({ version }, { sent }) => {
      // What was typed meanwhile stays unsaved.
      setEdit((edit) => ({ base: { version, draft: sent }, draft: edit.draft, note: '' }))
      setChecked(false)
      toast.done(`Saved version ${version}`)
    },
  })
  // What is being saved comes back before the draft ends.
  const isOvertaken = !save.isPending && isChanged && newest.version > base.version
  const isRefused = describeFailure(save.error).status === 409
  function submit(expected = base.version) {
    setChecked(true)
    if ('problems' in result || !isChanged || !mayWrite) return
    const write = { definition: result.definition, expected_version: expected, note: note.trim() }
    save.mutate({ write, sent: draft })
  }
  return (
    <>
      {save.isError && !(isRefused && isOvertaken) && (
        <ErrorState compact title="Could not save the version" error={save.error} />
      )}
      {isOvertaken && (
        <div className="p-3 sm:px-4">
          <EditConflict
            what={`version ${newest.version} of this evaluator`}
            fields={listConflicts(base.draft, draft, toDraft(newest.definition))}
            keepLabel={`Save mine as version ${newest.version + 1}`}
            onKeep={() => {
              change({ base: toBase(newest) })
              submit(newest.version)
            }}
            onTake={() => {
              start(toBase(newest))
              save.reset()
            }}
          />
        </div>
      )}
      {isRestored && isChanged && (
        <div className="px-3 pt-3 sm:px-4">
          <DraftRestored onDiscard={discard} />
        </div>
      )}
      {evaluator.description !== '' && (
        <p dir="auto" className="px-3 pt-3 text-row text-fg-muted sm:px-4">
          {evaluator.description}
        </p>
      )}
      <DefinitionEditor
        tenant={tenant}
        draft={draft}
        result={result}
        isChecked={isChecked}
        readOnly={!mayWrite}
        onChange={(next) => change({ draft: next })}
        onSave={() => {
          if (!isOvertaken) submit()
        }}
      >
        {isChanged && (
          <div className="flex gap-3 rounded-card border border-border bg-sunken p-3 max-sm:flex-col sm:items-end">
            <TextField
              className="flex-1"
              label="What changes"
              placeholder="For the list of versions"
              maxLength={2000}
              autoComplete="off"
              value={note}
              onChange={(next) => change({ note: next })}
            />
            <Button onClick={discard}>Discard</Button>
            <Button look="primary" disabled={save.isPending || isOvertaken} onClick={() => submit()}>
              {save.isPending ? 'Saving…' : `Save version ${base.version + 1}`}
            </Button>
          </div>
        )}
      </DefinitionEditor>
      <LeaveGuard isDirty={isChanged} title="The definition" isKept={isKept} />
    </>
  )
}
