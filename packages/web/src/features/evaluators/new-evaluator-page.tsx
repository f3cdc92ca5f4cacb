import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { isSameJson } from '#lib/changes.ts'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { DraftRestored, LeaveGuard } from '#ui/form-section.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { hasShapeOf, useKeptState } from '#ui/use-draft.tsx'
import { type EvaluatorDraft, newDraft, toDefinition } from './draft.ts'
import { DefinitionEditor } from './editor/definition-editor.tsx'
import { NameFields } from './editor/name-fields.tsx'
import { evaluatorMutation } from './queries.ts'

interface NewEvaluator {
  readonly name: string
  readonly description: string
  readonly draft: EvaluatorDraft
  readonly isRestored?: true
}

const isSameEdit = ({ isRestored: _, ...one }: NewEvaluator, other: NewEvaluator) => isSameJson(one, other)

/** What was typed before a reload; an older version of the page may have kept other fields. */
function restoreEdit(kept: unknown, start: NewEvaluator): NewEvaluator | undefined {
  const { name, description, draft } = (kept ?? {}) as Partial<NewEvaluator>
  if (!hasShapeOf(start.draft, draft)) return undefined
  return {
    name: String(name ?? ''),
    description: String(description ?? ''),
    draft: draft as EvaluatorDraft,
    isRestored: true,
  }
}

/** A new evaluator: name, description and its first definition, which can be tried before it is saved. */
export function NewEvaluatorPage({ tenant, kind }: { tenant: string; kind: EvaluatorDraft['kind'] }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const create = useMutation(evaluatorMutation.create(useQueryClient()))
  const [start] = useState<NewEvaluator>(() => ({ name: '', description: '', draft: newDraft(kind) }))
  const [edit, setEdit, dropKept, isKept] = useKeptState<NewEvaluator>(
    `new evaluator ${kind}`,
    start,
    (kept) => restoreEdit(kept, start),
    (edit) => (isSameEdit(edit, start) ? undefined : edit),
  )
  const { name, description, draft, isRestored } = edit
  const change = (part: Partial<NewEvaluator>) => setEdit((edit) => ({ ...edit, ...part }))
  const [isChecked, setChecked] = useState(false)
  const result = toDefinition(draft)
  const isChanged = !isSameEdit(edit, start)
  const isTaken = describeFailure(create.error).status === 409
  const nameProblem = isChecked && name.trim() === '' ? 'Enter a name.' : undefined
  function save() {
    setChecked(true)
    if ('problems' in result || name.trim() === '') return
    create.mutate(
      { name: name.trim(), description: description.trim(), definition: result.definition },
      {
        onSuccess: ({ id }) => {
          dropKept()
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
        {isRestored && isChanged && (
          <div className="px-3 pt-3 sm:px-4">
            <DraftRestored
              onDiscard={() => {
                dropKept()
                setEdit(start)
                create.reset()
              }}
            />
          </div>
        )}
        <DefinitionEditor
          tenant={tenant}
          draft={draft}
          result={result}
          isChecked={isChecked}
          onChange={(next) => change({ draft: next })}
          onSave={save}
        >
          <NameFields
            name={name}
            description={description}
            isTaken={isTaken}
            problem={nameProblem}
            onName={(next) => {
              change({ name: next })
              create.reset()
            }}
            onDescription={(next) => change({ description: next })}
          />
        </DefinitionEditor>
      </div>
      <LeaveGuard isDirty={isChanged && !create.isSuccess} title="The evaluator" isKept={isKept} />
    </PageFrame>
  )
}
