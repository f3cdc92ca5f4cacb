import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { evaluatorMutation } from '#data/evaluators.ts'
import { useMay } from '#data/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { type EvaluatorDraft, newDraft, toDefinition } from '#lib/evaluators/draft.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { PageFrame } from '#shell/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { LeaveGuard } from '#ui/form-section.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { DefinitionEditor } from './-definition-editor.tsx'
import { NameFields } from './-name-fields.tsx'

/** A new evaluator: name, description and its first definition, which can be tried before it is saved. */
export function NewEvaluatorPage({ tenant, kind }: { tenant: string; kind: EvaluatorDraft['kind'] }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const create = useMutation(evaluatorMutation.create(useQueryClient()))
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [before] = useState(() => newDraft(kind))
  const [draft, setDraft] = useState(before)
  const [isChecked, setChecked] = useState(false)
  const result = toDefinition(draft)
  const isChanged = name !== '' || description !== '' || JSON.stringify(draft) !== JSON.stringify(before)
  const isTaken = describeFailure(create.error).status === 409
  const nameProblem = isChecked && name.trim() === '' ? 'Enter a name.' : undefined
  function save() {
    setChecked(true)
    if ('problems' in result || name.trim() === '') return
    create.mutate(
      { name: name.trim(), description: description.trim(), definition: result.definition },
      {
        onSuccess: ({ id }) => {
          toast.done(`Created ${name.trim()}`)
          const to = '/o/$tenant/evaluators/$evaluatorId'
          void navigate({ to, params: { tenant, evaluatorId: id }, ignoreBlocker: true })
        },
      },
    )
  }
  return (
    <PageFrame
      title={kind === 'llm_judge' ? 'New LLM judge' : 'New JavaScript evaluator'}
      actions={
        <Button
          look="primary"
          disabled={!mayWrite || create.isPending}
          title={mayWrite ? undefined : READ_ONLY}
          onClick={save}
        >
          {create.isPending ? 'Creating…' : 'Create evaluator'}
        </Button>
      }
    >
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {create.isError && !isTaken && (
          <ErrorState compact title="Could not create the evaluator" error={create.error} />
        )}
        <DefinitionEditor
          tenant={tenant}
          draft={draft}
          result={result}
          isChecked={isChecked}
          onChange={setDraft}
          onSave={save}
        >
          <NameFields
            name={name}
            description={description}
            isTaken={isTaken}
            problem={nameProblem}
            onName={(next) => {
              setName(next)
              create.reset()
            }}
            onDescription={setDescription}
          />
        </DefinitionEditor>
      </div>
      <LeaveGuard isDirty={isChanged && !create.isSuccess} title="The evaluator" />
    </PageFrame>
  )
}
