import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SavedEvaluator, SavedEvaluatorVersion } from '@touchstone/sdk'
import { useState } from 'react'
import { evaluatorMutation } from '#data/evaluators.ts'
import { useMay } from '#data/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { toDefinition, toDraft } from '#lib/evaluators/draft.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { DefinitionEditor } from '../-definition-editor.tsx'

interface DefinitionTabProps {
  tenant: string
  evaluator: SavedEvaluator
  newest: SavedEvaluatorVersion
}

/** The newest definition. A change is saved as a new version; versions before it stay. */
export function DefinitionTab({ tenant, evaluator, newest }: DefinitionTabProps) {
  const mayWrite = useMay('member')
  const save = useMutation(evaluatorMutation.addVersion(useQueryClient(), evaluator.id))
  const [before] = useState(() => toDraft(newest.definition))
  const [draft, setDraft] = useState(before)
  const [note, setNote] = useState('')
  const [isChecked, setChecked] = useState(false)
  const result = toDefinition(draft)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before)
  const isConflict = describeFailure(save.error).status === 409
  function submit() {
    setChecked(true)
    if ('problems' in result || !isChanged || !mayWrite) return
    save.mutate(
      { definition: result.definition, expected_version: newest.version, note: note.trim() },
      { onSuccess: ({ version }) => toast.done(`Saved version ${version}`) },
    )
  }
  return (
    <>
      {save.isError && (
        <ErrorState
          compact
          title={isConflict ? 'Another version was saved meanwhile; open the page again' : 'Could not save the version'}
          error={save.error}
        />
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
        onSave={submit}
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
                setDraft(before)
                setChecked(false)
              }}
            >
              Discard
            </Button>
            <Button look="primary" disabled={save.isPending} onClick={submit}>
              {save.isPending ? 'Saving…' : `Save version ${newest.version + 1}`}
            </Button>
          </div>
        )}
      </DefinitionEditor>
    </>
  )
}
