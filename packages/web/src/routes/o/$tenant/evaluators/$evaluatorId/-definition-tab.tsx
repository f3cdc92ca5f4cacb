import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SavedEvaluator, SavedEvaluatorVersion, SavedEvaluatorVersionWrite } from '@touchstone/sdk'
import { useState } from 'react'
import { evaluatorMutation } from '#data/evaluators.ts'
import { useMay } from '#data/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { type EvaluatorDraft, toDefinition, toDraft } from '#lib/evaluators/draft.ts'
import { listConflicts } from '#lib/evaluators/draft-conflicts.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { TextField } from '#ui/field.tsx'
import { LeaveGuard } from '#ui/form-section.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { DefinitionEditor } from '../-definition-editor.tsx'

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

/**
 * The newest definition. A change is saved as a new version; versions before it stay. What is typed stays too when
 * another version appears meanwhile: both are shown, and the user chooses.
 */
export function DefinitionTab({ tenant, evaluator, newest }: DefinitionTabProps) {
  const mayWrite = useMay('member')
  const [base, setBase] = useState(() => toBase(newest))
  const [draft, setDraft] = useState(base.draft)
  const [note, setNote] = useState('')
  const [isChecked, setChecked] = useState(false)
  const result = toDefinition(draft)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(base.draft)
  function start(next: Base) {
    setBase(next)
    setDraft(next.draft)
    setNote('')
    setChecked(false)
  }
  // Versions are read again after a save, so the newest one can also be older than the one that was saved.
  if (!isChanged && newest.version > base.version) start(toBase(newest))
  const { mutationFn: addVersion, onSettled } = evaluatorMutation.addVersion(useQueryClient(), evaluator.id)
  const save = useMutation({
    mutationFn: ({ write }: { write: SavedEvaluatorVersionWrite; sent: EvaluatorDraft }) => addVersion(write),
    onSettled,
    onSuccess: ({ version }, { sent }) => {
      // What was typed meanwhile stays unsaved.
      setBase({ version, draft: sent })
      setNote('')
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
              setBase(toBase(newest))
              submit(newest.version)
            }}
            onTake={() => {
              start(toBase(newest))
              save.reset()
            }}
          />
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
        onChange={setDraft}
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
              onChange={setNote}
            />
            <Button
              onClick={() => {
                start(newest.version > base.version ? toBase(newest) : base)
                save.reset()
              }}
            >
              Discard
            </Button>
            <Button look="primary" disabled={save.isPending || isOvertaken} onClick={() => submit()}>
              {save.isPending ? 'Saving…' : `Save version ${base.version + 1}`}
            </Button>
          </div>
        )}
      </DefinitionEditor>
      <LeaveGuard isDirty={isChanged} title="The definition" />
    </>
  )
}
