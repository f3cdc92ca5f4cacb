import { Plus, X } from 'lucide-react'
import type { Filters } from '#lib/filter/chips.ts'
import { type Draft, type GroupDraft, newGroup, newLine } from '#lib/filter/draft.ts'
import { Button } from '#ui/button.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { ConditionForm } from './condition-form.tsx'
import type { Suggest } from './use-observed.tsx'

export interface GroupBuilderProps {
  group: GroupDraft
  onChange: (group: GroupDraft) => void
  suggest: Suggest
  filters: Filters
}

/** Conditions of which all or any must hold, groups inside of groups. */
export function GroupBuilder({ group, onChange, suggest, filters }: GroupBuilderProps) {
  const setItem = (at: number, item: Draft) => onChange({ ...group, items: group.items.with(at, item) })
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 border-l-2 border-border pl-2">
      <legend className="sr-only">Group of conditions</legend>
      <div className="flex items-center gap-2">
        <select
          aria-label="How the conditions go together"
          value={group.op}
          onChange={(event) => onChange({ ...group, op: event.target.value as 'and' | 'or' })}
          className="h-7 rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
        >
          <option value="and">all of these</option>
          <option value="or">any of these</option>
        </select>
        <label className="inline-flex items-center gap-1 text-row text-fg-muted">
          <input
            type="checkbox"
            checked={group.isNot}
            onChange={(event) => onChange({ ...group, isNot: event.target.checked })}
          />
          exclude
        </label>
      </div>
      {group.items.map((item, at) => (
        <div key={item.id} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <GroupItem draft={item} onChange={(next) => setItem(at, next)} suggest={suggest} filters={filters} />
          </div>
          <IconButton
            icon={X}
            label="Remove this condition"
            disabled={group.items.length === 1}
            onClick={() => onChange({ ...group, items: group.items.toSpliced(at, 1) })}
          />
        </div>
      ))}
      <div className="flex flex-wrap gap-1">
        <Button look="quiet" onClick={() => onChange({ ...group, items: [...group.items, newLine()] })}>
          <Plus size={13} aria-hidden />
          Condition
        </Button>
        <Button
          look="quiet"
          onClick={() => onChange({ ...group, items: [...group.items, newGroup(group.op === 'or' ? 'and' : 'or')] })}
        >
          <Plus size={13} aria-hidden />
          Group
        </Button>
      </div>
    </fieldset>
  )
}

interface GroupItemProps {
  draft: Draft
  onChange: (draft: Draft) => void
  suggest: Suggest
  filters: Filters
}

function GroupItem({ draft, onChange, suggest, filters }: GroupItemProps) {
  if (draft.kind === 'group') {
    return <GroupBuilder group={draft} onChange={onChange} suggest={suggest} filters={filters} />
  }
  if (draft.kind === 'line') {
    return (
      <ConditionForm
        condition={draft.condition}
        onChange={(condition) => onChange({ ...draft, condition })}
        suggest={suggest}
        filters={filters}
      />
    )
  }
  return (
    <input
      aria-label="Condition as text"
      value={draft.text}
      spellCheck={false}
      onChange={(event) => onChange({ ...draft, text: event.target.value })}
      className="h-7 w-full rounded-control border border-border-strong bg-surface px-2 font-mono text-row coarse:h-10"
    />
  )
}
