import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Rule, RuleUpdate } from '@touchstone/sdk'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { isSameJson } from '#lib/changes.ts'
import { describeFailure } from '#lib/errors.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { DraftRestored, LeaveGuard } from '#ui/form-section.tsx'
import { toast } from '#ui/toast.tsx'
import { hasShapeOf, useKeptState } from '#ui/use-draft.tsx'
import { listConflicts, type RuleDraft, toDefinition, toDraft } from '../draft.ts'
import { RuleForm } from '../editor/rule-form.tsx'
import { NAME_TAKEN, RuleNameFields, SaveError } from '../new-rule-page.tsx'
import { ruleMutation } from '../queries.ts'
import { useNames } from '../use-names.ts'

/** The version that is edited, with the name of the rule. */
interface Base {
  readonly version: number
  /** Changes with the name and the description too. */
  readonly modifiedAt: string
  readonly name: string
  readonly description: string
  readonly draft: RuleDraft
}

const toBase = ({ version, modified_at, name, description, definition }: Rule): Base => ({
  version,
  modifiedAt: modified_at,
  name,
  description,
  draft: toDraft(definition),
})

interface RuleEdit extends Pick<Base, 'name' | 'description' | 'draft'> {
  readonly base: Base
  readonly isRestored?: true
}

const startEdit = (base: Base): RuleEdit => ({
  base,
  name: base.name,
  description: base.description,
  draft: base.draft,
})

/** The edit of before a reload; an older version of the page may have kept other fields. */
function restoreEdit(kept: unknown, newest: Base): RuleEdit | undefined {
  const { base, name, description, draft } = (kept ?? {}) as Partial<RuleEdit>
  if (!hasShapeOf(newest, base) || !hasShapeOf(newest.draft, base?.draft)) return undefined
  if (!hasShapeOf(newest.draft, draft)) return undefined
  const texts = { name: String(name ?? ''), description: String(description ?? '') }
  return { base: base as Base, draft: draft as RuleDraft, ...texts, isRestored: true }
}

const isSameEdit = ({ name, description, draft }: Omit<RuleEdit, 'base'>, base: Base) =>
  name === base.name && description === base.description && isSameJson(draft, base.draft)

/**
 * The newest definition. A change of it is saved as a new version. What is typed stays when another version appears
 * meanwhile: both are shown, and the user chooses.
 */
export function SettingsTab({ tenant, rule }: { tenant: string; rule: Rule }) {
  const mayWrite = useMay('member')
  const names = useNames()
  const newest = toBase(rule)
  const [edit, setEdit, dropKept, isKept] = useKeptState<RuleEdit>(
    `rule ${rule.id}`,
    startEdit(newest),
    (kept) => restoreEdit(kept, newest),
    (edit) => (isSameEdit(edit, edit.base) ? undefined : edit),
  )
  const { base, name, description, draft, isRestored } = edit
  const [isChecked, setChecked] = useState(false)
  const [isFilterOpen, setFilterOpen] = useState(false)
  const result = toDefinition(draft, isFilterOpen)
  const isChanged = !isSameEdit(edit, base)
  const isNewVersion = !isSameJson(draft, base.draft)
  const change = (part: Partial<RuleEdit>) => setEdit((edit) => ({ ...edit, ...part }))
  function start(next: Base) {
    dropKept()
    setEdit(startEdit(next))
    setChecked(false)
  }
  // The rule is read again after a save, so what was read last can also be older than what was saved.
  if (!isChanged && newest.modifiedAt > base.modifiedAt) start(newest)
  const { mutationFn, onSettled } = ruleMutation.update(useQueryClient(), rule.id)
  const save = useMutation({
    mutationFn,
    onSettled,
    onSuccess: (saved) => {
      start(toBase(saved))
      toast.done(saved.version > base.version ? `Saved version ${saved.version}` : `Saved ${saved.name}`)
    },
  })
  const isOvertaken = !save.isPending && isNewVersion && newest.version > base.version
  const isRefused = describeFailure(save.error).status === 409
  const isTaken = isRefused && !isOvertaken && name.trim() !== base.name
  function submit(from = base) {
    setChecked(true)
    if (!isChanged || !mayWrite || name.trim() === '') return
    const definition = 'problems' in result ? undefined : result.definition
    // A name needs no definition: that of a rule of a public client may have no action.
    if (definition === undefined && isNewVersion) return
    save.mutate(toChange(edit, from, definition))
  }
  return (
    <>
      {save.isError && !isTaken && !(isRefused && isOvertaken) && (
        <SaveError title="Could not save the rule" error={save.error} />
      )}
      {isOvertaken && (
        <div className="p-3 sm:px-4">
          <EditConflict
            what={`version ${newest.version} of this rule`}
            fields={listConflicts(draft, newest.draft)}
            keepLabel={`Save mine as version ${newest.version + 1}`}
            onKeep={() => {
              change({ base: newest })
              submit(newest)
            }}
            onTake={() => {
              start(newest)
              save.reset()
            }}
          />
        </div>
      )}
      {isRestored && isChanged && (
        <div className="px-3 pt-3 sm:px-4">
          <DraftRestored onDiscard={() => start(newest)} />
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
        {isChanged && (
          <div className="flex flex-wrap items-center gap-2 rounded-card border border-border bg-sunken p-3">
            <p className="min-w-0 flex-1 text-row text-fg-muted">
              {isNewVersion
                ? 'Runs that an earlier version acted on are not acted on again; a backfill can do that.'
                : 'The definition stays as it is.'}
            </p>
            <Button
              onClick={() => {
                start(newest)
                save.reset()
              }}
            >
              Discard
            </Button>
            <Button look="primary" disabled={save.isPending || isOvertaken} onClick={() => submit()}>
              {save.isPending ? 'Saving…' : isNewVersion ? `Save version ${base.version + 1}` : 'Save'}
            </Button>
          </div>
        )}
        <RuleNameFields
          name={name}
          description={description}
          problem={isTaken ? NAME_TAKEN : isChecked && name.trim() === '' ? 'Enter a name.' : undefined}
          onName={(next) => {
            change({ name: next })
            save.reset()
          }}
          onDescription={(next) => change({ description: next })}
        />
      </RuleForm>
      <LeaveGuard isDirty={isChanged} title="The rule" isKept={isKept} />
    </>
  )
}

/** Only what changes, so that a new name makes no version. */
function toChange(edit: RuleEdit, base: Base, definition: RuleUpdate['definition']): RuleUpdate {
  const [name, description] = [edit.name.trim(), edit.description.trim()]
  return {
    ...(name !== base.name && { name }),
    ...(description !== base.description && { description }),
    ...(!isSameJson(edit.draft, base.draft) && { definition, expected_version: base.version }),
  }
}
