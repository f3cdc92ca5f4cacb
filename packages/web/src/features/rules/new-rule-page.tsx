import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { isSameJson } from '#lib/changes.ts'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { DraftRestored, LeaveGuard } from '#ui/form-section.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { hasShapeOf, useKeptState } from '#ui/use-draft.tsx'
import { newDraft, type RuleDraft, toDefinition } from './draft.ts'
import { RuleForm } from './editor/rule-form.tsx'
import { ruleMutation } from './queries.ts'
import type { NewRuleSearch } from './search.ts'
import { TEMPLATES } from './templates.ts'
import { useNames } from './use-names.ts'

interface NewRule {
  readonly name: string
  readonly description: string
  readonly draft: RuleDraft
  readonly isRestored?: true
}

const isSameEdit = ({ isRestored: _, ...one }: NewRule, other: NewRule) => isSameJson(one, other)

/** What was typed before a reload; an older version of the page may have kept other fields. */
function restoreEdit(kept: unknown, start: NewRule): NewRule | undefined {
  const { name, description, draft } = (kept ?? {}) as Partial<NewRule>
  if (!hasShapeOf(start.draft, draft)) return undefined
  return {
    name: String(name ?? ''),
    description: String(description ?? ''),
    draft: draft as RuleDraft,
    isRestored: true,
  }
}

/** A new rule, from nothing, from a template, or from the filters of a list of runs. */
export function NewRulePage({ tenant, search }: { tenant: string; search: NewRuleSearch }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const names = useNames()
  const create = useMutation(ruleMutation.create(useQueryClient()))
  const [start] = useState<NewRule>(() => ({
    name: TEMPLATES.find(({ id }) => id === search.template)?.title ?? '',
    description: '',
    draft: newDraft(search),
  }))
  const [edit, setEdit, dropKept, isKept] = useKeptState<NewRule>(
    `new rule ${JSON.stringify(search)}`,
    start,
    (kept) => restoreEdit(kept, start),
    (edit) => (isSameEdit(edit, start) ? undefined : edit),
  )
  const { name, description, draft, isRestored } = edit
  const change = (part: Partial<NewRule>) => setEdit((edit) => ({ ...edit, ...part }))
  const [isChecked, setChecked] = useState(false)
  const [isFilterOpen, setFilterOpen] = useState(false)
  const result = toDefinition(draft, isFilterOpen)
  const isChanged = !isSameEdit(edit, start)
  const isTaken = describeFailure(create.error).status === 409
  const nameProblem = isChecked && name.trim() === '' ? 'Enter a name.' : undefined
  function save() {
    setChecked(true)
    if ('problems' in result || name.trim() === '') return
    const rule = { name: name.trim(), description: description.trim(), definition: result.definition }
    create.mutate(rule, {
      onSuccess: ({ id }) => {
        dropKept()
        toast.done(`Created ${name.trim()}`)
        void navigate({ to: '/o/$tenant/rules/$ruleId', params: { tenant, ruleId: id }, ignoreBlocker: true })
      },
    })
  }
  return (
    <PageFrame
      title="New rule"
      actions={
        <Button
          look="primary"
          disabled={!mayWrite || create.isPending}
          title={mayWrite ? undefined : READ_ONLY}
          onClick={save}
        >
          {create.isPending ? 'Creating…' : 'Create rule'}
        </Button>
      }
    >
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {create.isError && !isTaken && <SaveError title="Could not create the rule" error={create.error} />}
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
        <RuleForm
          tenant={tenant}
          draft={draft}
          result={result}
          names={names}
          isChecked={isChecked}
          readOnly={!mayWrite}
          onChange={(next) => change({ draft: next })}
          onFilterOpen={setFilterOpen}
        >
          <RuleNameFields
            name={name}
            description={description}
            problem={isTaken ? NAME_TAKEN : nameProblem}
            onName={(next) => {
              change({ name: next })
              create.reset()
            }}
            onDescription={(next) => change({ description: next })}
          />
        </RuleForm>
      </div>
      <LeaveGuard isDirty={isChanged && !create.isSuccess} title="The rule" isKept={isKept} />
    </PageFrame>
  )
}

interface SaveErrorProps {
  title: string
  error: unknown
}

/** Why saving was refused, brought into view: the button that saves may be far from it. */
export function SaveError({ title, error }: SaveErrorProps) {
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: again for each error
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [error])
  return (
    <div ref={box}>
      <ErrorState compact title={title} error={error} />
    </div>
  )
}

export const NAME_TAKEN = 'The workspace has a rule with this name.'

interface RuleNameFieldsProps {
  name: string
  description: string
  problem: string | undefined
  onName: (name: string) => void
  onDescription: (description: string) => void
}

/** Name and description of a rule; names are unique in the workspace. */
export function RuleNameFields({ name, description, problem, onName, onDescription }: RuleNameFieldsProps) {
  return (
    <>
      <TextField label="Name" maxLength={200} autoComplete="off" value={name} error={problem} onChange={onName} />
      <TextField label="Description" maxLength={5000} autoComplete="off" value={description} onChange={onDescription} />
    </>
  )
}
