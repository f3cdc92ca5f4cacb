import type { Rule, RuleState } from '@touchstone/sdk'
import { cx } from '#lib/browser.ts'
import { ACTION_LABELS, describeAction, describeState, STATE_LABELS } from './state.ts'
import type { Names } from './use-names.ts'

const TONES = { ok: 'text-ok', muted: 'text-fg-muted', err: 'text-err' }

/** On, paused, or blocked with the reason. */
export function StateMark({ rule }: { rule: Pick<Rule, 'is_enabled' | 'blocked'> }) {
  const { text, tone } = describeState(rule)
  return <span className={cx('font-medium', TONES[tone])}>{text}</span>
}

/** The actions of a rule as chips, in their order. */
export function ActionChips({ actions, names }: { actions: Rule['definition']['actions']; names: Names }) {
  return (
    <ul aria-label="Actions" className="flex min-w-0 flex-wrap gap-1">
      {actions.map((action, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: actions have no ids and never move here
          key={at}
          className="max-w-64 truncate rounded-control border border-border px-1.5 text-meta text-fg-muted"
        >
          {ACTION_LABELS[action.kind]} <span className="text-fg">{describeAction(action, names.nameOf)}</span>
        </li>
      ))}
    </ul>
  )
}

const STATE_TONES: Readonly<Record<RuleState, string>> = {
  done: 'text-ok',
  failed: 'text-err',
  waiting: 'text-fg-muted',
  running: 'text-run',
  limited: 'text-warn',
  sampled_out: 'text-fg-muted',
}

export function DecisionMark({ state }: { state: RuleState }) {
  return <span className={cx('whitespace-nowrap font-medium', STATE_TONES[state])}>{STATE_LABELS[state]}</span>
}
