import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { type Draft, type Filters, type GroupDraft, newGroup, newLine } from '#lib/filter/chips.ts'
import { fixedChoices } from '#lib/filter/complete.ts'
import type { Condition } from '#lib/filter/condition.ts'
import { isUnary, OPERATIONS, operationsFor, SUBJECTS } from '#lib/filter/fields.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Select } from '#ui/select.tsx'
import { OptionsList, type Suggest, useSuggestions } from './suggestions.tsx'

export interface ConditionFormProps {
  condition: Condition
  onChange: (condition: Condition) => void
  suggest: Suggest
  /** The other active filters; they narrow the suggestions. */
  filters: Filters
  autoFocus?: boolean
}

const SUBJECT_OPTIONS = Object.entries(SUBJECTS).map(([value, { label, entry }]) => ({
  value,
  label: entry ? `${label} …` : label,
}))

/** One condition: field, comparison and value, with observed values suggested below the field. */
export function ConditionForm({ condition, onChange, suggest, filters, autoFocus = false }: ConditionFormProps) {
  const { subject, operation, isNot } = condition
  const hasKey = SUBJECTS[subject]?.entry !== undefined
  const operations = operationsFor(subject)
  const change = (part: Partial<Condition>) => onChange({ ...condition, ...part })

  function changeSubject(next: string) {
    const supported = operationsFor(next)
    const [first = operation] = supported
    change({ subject: next, key: '', value: '', operation: supported.includes(operation) ? operation : first })
  }
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap gap-1.5">
        <Select
          aria-label="Field"
          size="toolbar"
          value={subject}
          onChange={changeSubject}
          options={SUBJECTS[subject] ? SUBJECT_OPTIONS : [...SUBJECT_OPTIONS, { value: subject, label: subject }]}
          className="min-w-24 max-w-none flex-1"
        />
        <Select
          aria-label="Comparison"
          size="toolbar"
          value={operation}
          onChange={(next) => change({ operation: next })}
          options={(operations.includes(operation) ? operations : [...operations, operation]).map((one) => ({
            value: one,
            label: OPERATIONS[one],
          }))}
        />
        <label className="inline-flex h-7 items-center gap-1 text-row text-fg-muted coarse:h-10">
          <input type="checkbox" checked={isNot} onChange={(event) => change({ isNot: event.target.checked })} />
          Exclude
        </label>
      </div>
      {hasKey && (
        <SuggestField
          label="Key"
          value={condition.key}
          onChange={(key) => change({ key })}
          autoFocus={autoFocus && condition.key === ''}
          suggest={suggest}
          filters={filters}
          ask={{ kind: 'key', subject, key: '', contains: condition.key }}
        />
      )}
      {!isUnary(operation) && (
        <SuggestField
          label="Value"
          value={condition.value}
          onChange={(value) => change({ value })}
          autoFocus={autoFocus && !(hasKey && condition.key === '')}
          suggest={suggest}
          filters={filters}
          ask={{ kind: 'value', subject, key: condition.key, contains: getLastItem(condition) }}
          fixed={fixedChoices(subject)}
          isList={operation === 'in' || operation === 'nin'}
        />
      )}
    </div>
  )
}

interface SuggestFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  autoFocus: boolean
  suggest: Suggest
  filters: Filters
  ask: Parameters<Suggest>[0]
  fixed?: readonly string[] | undefined
  /** Accepts several values, separated by commas. */
  isList?: boolean
}

function SuggestField(props: SuggestFieldProps) {
  const { label, value, onChange, fixed, isList } = props
  const id = useId()
  const [isFocused, setFocused] = useState(false)
  const [active, setActive] = useState(-1)
  const [isPicked, setPicked] = useState(false)
  // A value that was there before typing must not filter the suggestions.
  const ask = isPicked || !isFocused ? { ...props.ask, contains: '' } : props.ask
  const observed = useSuggestions(props.suggest, ask, props.filters, isFocused && fixed === undefined)
  const options = !isFocused
    ? []
    : fixed
      ? fixed.map((one) => ({ id: one, label: one }))
      : observed.map((one) => ({ id: one.value, label: one.value, count: one.n }))

  function pick(option: { id: string }) {
    const item = /[,"]/.test(option.id) ? JSON.stringify(option.id) : option.id
    onChange(
      isList ? [...value.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).slice(0, -1), ` ${item}`].join(',').trim() : option.id,
    )
    setPicked(true)
    setActive(-1)
  }
  return (
    <div>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-options`}
        aria-activedescendant={active >= 0 ? `${id}-options-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={isList ? 'Comma-separated values' : label}
        value={value}
        // biome-ignore lint/a11y/noAutofocus: the reader has just opened this form
        autoFocus={props.autoFocus}
        onFocus={() => {
          setFocused(true)
          setPicked(value !== '')
        }}
        onBlur={() => setFocused(false)}
        onChange={(event) => {
          setPicked(false)
          setActive(-1)
          onChange(event.target.value)
        }}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
          if (by !== 0 && options.length > 0) {
            event.preventDefault()
            setActive((at) => Math.min(Math.max(at + by, -1), options.length - 1))
          } else if (event.key === 'Enter' && options[active]) {
            event.preventDefault()
            pick(options[active])
          }
        }}
        className={`${FIELD} w-full`}
      />
      {options.length > 0 && (
        <OptionsList
          id={`${id}-options`}
          label={`Suggested ${label.toLowerCase()}s`}
          options={options}
          active={active}
          onPick={pick}
          className="mt-1 max-h-40 rounded-control border border-border p-0.5"
        />
      )}
    </div>
  )
}

/** The value at the caret; of a list, the last item. */
function getLastItem({ operation, value }: Condition): string {
  return operation === 'in' || operation === 'nin' ? (value.split(',').at(-1) ?? '').trim() : value
}

const FIELD = 'h-7 rounded-control border border-border-strong bg-surface px-2 text-row text-fg coarse:h-10'

interface GroupBuilderProps {
  group: GroupDraft
  onChange: (group: GroupDraft) => void
  suggest: Suggest
  filters: Filters
}

/** Conditions joined by "all" or "any". Groups can be nested. */
export function GroupBuilder({ group, onChange, suggest, filters }: GroupBuilderProps) {
  const setItem = (at: number, item: Draft) => onChange({ ...group, items: group.items.with(at, item) })
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 border-l-2 border-border pl-2">
      <legend className="sr-only">Group of conditions</legend>
      <div className="flex items-center gap-2">
        <Select
          aria-label="Match"
          size="toolbar"
          value={group.op}
          onChange={(op) => onChange({ ...group, op })}
          options={[
            { value: 'and', label: 'All of these' },
            { value: 'or', label: 'Any of these' },
          ]}
        />
        <label className="inline-flex items-center gap-1 text-row text-fg-muted">
          <input
            type="checkbox"
            checked={group.isNot}
            onChange={(event) => onChange({ ...group, isNot: event.target.checked })}
          />
          Exclude
        </label>
      </div>
      {group.items.map((item, at) => (
        <div key={item.id} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <GroupItem draft={item} onChange={(next) => setItem(at, next)} suggest={suggest} filters={filters} />
          </div>
          <IconButton
            icon={X}
            label="Remove condition"
            disabled={group.items.length === 1}
            onClick={() => onChange({ ...group, items: group.items.toSpliced(at, 1) })}
          />
        </div>
      ))}
      <div className="flex flex-wrap gap-1">
        <Button look="quiet" onClick={() => onChange({ ...group, items: [...group.items, newLine()] })}>
          <Plus size={13} aria-hidden />
          Add condition
        </Button>
        <Button
          look="quiet"
          onClick={() => onChange({ ...group, items: [...group.items, newGroup(group.op === 'or' ? 'and' : 'or')] })}
        >
          <Plus size={13} aria-hidden />
          Add group
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
