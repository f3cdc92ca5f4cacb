import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '#ui/button.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { Select } from '#ui/select.tsx'
import { type ActionDraft, type ActionKind, MAX_ACTIONS, newAction, type RuleDraft } from '../draft.ts'
import { ACTION_LABELS } from '../state.ts'
import type { Named, Names } from '../use-names.ts'
import { ChannelPicker } from './channel-picker.tsx'

interface ActionListProps {
  draft: RuleDraft
  problems: Readonly<Record<string, string>>
  names: Names
  onChange: (part: Partial<RuleDraft>) => void
}

const KINDS = Object.keys(ACTION_LABELS) as ActionKind[]

/** What the rule does with a match, in this order. */
export function ActionList({ draft: { actions }, problems, names, onChange }: ActionListProps) {
  const set = (next: readonly ActionDraft[]) => onChange({ actions: next })
  const replace = (at: number, part: Partial<ActionDraft>) =>
    set(actions.map((one, index) => (index === at ? { ...one, ...part } : one)))
  /** Swaps an action with the next one. */
  const swap = (at: number) =>
    set(actions.map((one, index) => (index === at ? actions[at + 1] : index === at + 1 ? actions[at] : one) ?? one))
  return (
    <section aria-label="Actions" className="flex flex-col gap-2">
      <h2 className="text-row font-medium">Actions, in this order</h2>
      {actions.map((action, at) => (
        <ActionItem
          // biome-ignore lint/suspicious/noArrayIndexKey: actions have no ids, and their fields are controlled
          key={at}
          number={at + 1}
          action={action}
          problem={problems[`action.${at}`]}
          names={names}
          onChange={(part) => replace(at, part)}
          onRemove={() => set(actions.filter((_, index) => index !== at))}
          onUp={at === 0 ? undefined : () => swap(at - 1)}
          onDown={at === actions.length - 1 ? undefined : () => swap(at)}
        />
      ))}
      {problems.actions !== undefined && (
        <p role="alert" className="text-row text-err">
          {problems.actions}
        </p>
      )}
      <span>
        <Menu
          trigger={
            <Button disabled={actions.length >= MAX_ACTIONS}>
              <Plus size={13} aria-hidden />
              Add action
            </Button>
          }
        >
          {KINDS.map((kind) => (
            <MenuItem key={kind} onSelect={() => set([...actions, newAction(kind)])}>
              {ACTION_LABELS[kind]}
            </MenuItem>
          ))}
        </Menu>
      </span>
    </section>
  )
}

interface ActionItemProps {
  number: number
  action: ActionDraft
  problem: string | undefined
  names: Names
  onChange: (part: Partial<ActionDraft>) => void
  onRemove: () => void
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
}

function ActionItem(props: ActionItemProps) {
  const { number, action, problem, names, onChange, onRemove, onUp, onDown } = props
  return (
    <fieldset
      aria-label={`Action ${number}`}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-border bg-surface p-3"
    >
      <div className="flex items-center gap-1">
        <h3 className="min-w-0 flex-1 text-row font-medium">
          {number}. {ACTION_LABELS[action.kind]}
        </h3>
        <IconButton icon={ArrowUp} label={`Move action ${number} up`} disabled={onUp === undefined} onClick={onUp} />
        <IconButton
          icon={ArrowDown}
          label={`Move action ${number} down`}
          disabled={onDown === undefined}
          onClick={onDown}
        />
        <IconButton icon={Trash2} label={`Remove action ${number}`} onClick={onRemove} />
      </div>
      <ActionFields action={action} problem={problem} names={names} onChange={onChange} />
    </fieldset>
  )
}

type FieldsProps = Pick<ActionItemProps, 'action' | 'problem' | 'names' | 'onChange'>

function ActionFields({ action, problem, names, onChange }: FieldsProps) {
  const { kind, key, score, value, comment, tags, split, version } = action
  if (kind === 'feedback') {
    return (
      <>
        <div className="flex gap-3 max-sm:flex-col">
          <TextField
            className="flex-1"
            label="Key"
            isCode
            autoComplete="off"
            maxLength={255}
            value={key}
            error={problem}
            onChange={(next) => onChange({ key: next })}
          />
          <TextField
            className="sm:w-24"
            label="Score"
            isNumber
            autoComplete="off"
            value={score}
            onChange={(next) => onChange({ score: next })}
          />
          <TextField
            className="flex-1"
            label="Label"
            autoComplete="off"
            maxLength={1000}
            value={value}
            onChange={(next) => onChange({ value: next })}
          />
        </div>
        <TextField
          label="Comment"
          autoComplete="off"
          maxLength={5000}
          value={comment}
          onChange={(next) => onChange({ comment: next })}
        />
      </>
    )
  }
  if (kind === 'tag') {
    return (
      <TextField
        label="Tags"
        hint="Separated by commas. Tags that the run has stay."
        autoComplete="off"
        value={tags}
        error={problem}
        onChange={(next) => onChange({ tags: next })}
      />
    )
  }
  if (kind === 'notify') {
    const { channelIds } = action
    return (
      <ChannelPicker
        chosen={channelIds}
        names={names}
        error={problem}
        onChange={(next) => onChange({ channelIds: next })}
      />
    )
  }
  return (
    <div className="flex gap-3 max-sm:flex-col sm:items-start">
      <ObjectPicker kind={kind} action={action} problem={problem} names={names} onChange={onChange} />
      {kind === 'evaluate' && (
        <TextField
          className="sm:w-40"
          label="Version"
          placeholder="newest"
          isNumber
          autoComplete="off"
          value={version}
          onChange={(next) => onChange({ version: next.replace(/\D/g, '') })}
        />
      )}
      {kind === 'add_to_dataset' && (
        <TextField
          className="sm:w-40"
          label="Split"
          placeholder="base"
          autoComplete="off"
          maxLength={100}
          value={split}
          onChange={(next) => onChange({ split: next })}
        />
      )}
    </div>
  )
}

type ObjectKind = Exclude<ActionKind, 'feedback' | 'tag' | 'notify'>

const OBJECTS = {
  evaluate: ['Evaluator', 'evaluators', 'an evaluator'],
  add_to_dataset: ['Dataset', 'datasets', 'a dataset'],
  add_to_queue: ['Annotation queue', 'queues', 'a queue'],
} as const

const PAGES = {
  evaluate: '/o/$tenant/evaluators',
  add_to_dataset: '/o/$tenant/datasets',
  add_to_queue: '/o/$tenant/annotation-queues',
} as const

function ObjectPicker({ kind, action, problem, names, onChange }: FieldsProps & { kind: ObjectKind }) {
  const [label, list, one] = OBJECTS[kind]
  const objects: readonly Named[] = names[list]
  return (
    <FormField
      className="flex-1"
      label={label}
      error={problem}
      hint={
        objects.length === 0 ? (
          <Link from="/o/$tenant" to={PAGES[kind]} className="text-accent hover:underline">
            There is none yet: create {one} first
          </Link>
        ) : undefined
      }
    >
      {(field) => (
        <Select
          {...field}
          value={action.id}
          placeholder={`Choose ${one}`}
          onChange={(id) => onChange({ id })}
          options={objects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </FormField>
  )
}
