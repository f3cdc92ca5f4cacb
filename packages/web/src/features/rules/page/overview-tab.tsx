import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Rule, RuleFunnel, RuleWindow } from '@touchstone/sdk'
import { Ban, Play } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatCost, formatCount, pluralize } from '#lib/format.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ruleMutation, ruleQuery } from '../queries.ts'
import { ActionChips, StateMark } from '../rule-marks.tsx'
import { type CurePage, describeLook, getBlock } from '../state.ts'
import { useNames } from '../use-names.ts'
import { Backfills } from './backfills.tsx'

interface OverviewTabProps {
  tenant: string
  rule: Rule
  now: number
}

const WINDOWS = [
  { value: '1h', label: '1 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
] as const

/** Whether the rule acts, what stops it, and what came of the runs that it saw. */
export function OverviewTab({ tenant, rule, now }: OverviewTabProps) {
  const [window, setWindow] = useState<RuleWindow>('24h')
  const funnel = useQuery(ruleQuery.funnel(rule.id, window))
  return (
    <div className="flex flex-col gap-3 p-3 sm:p-4">
      {rule.is_enabled && rule.blocked !== null && <BlockNotice tenant={tenant} rule={rule} blocked={rule.blocked} />}
      <section aria-label="Funnel" className="rounded-card border border-border bg-surface">
        <div className="flex min-h-9 flex-wrap items-center gap-2 border-b border-border px-3 py-1">
          <h2 className="min-w-0 flex-1 text-row font-semibold">What came of its runs</h2>
          <Segmented label="Window" value={window} onChange={setWindow} options={WINDOWS} />
        </div>
        {funnel.data === undefined ? (
          funnel.error === null ? (
            <SkeletonRows rows={4} label="Loading the funnel" />
          ) : (
            <ErrorState compact title="Could not count" error={funnel.error} onRetry={() => void funnel.refetch()} />
          )
        ) : (
          <Funnel tenant={tenant} rule={rule} funnel={funnel.data} />
        )}
      </section>
      <div className="grid gap-3 xl:grid-cols-3">
        <Facts tenant={tenant} rule={rule} now={now} lagMs={funnel.data?.lag_p95_ms ?? null} />
        <div className="min-w-0 xl:col-span-2">
          <Backfills rule={rule} />
        </div>
      </div>
    </div>
  )
}

interface BlockNoticeProps {
  tenant: string
  rule: Rule
  blocked: NonNullable<Rule['blocked']>
}

const CURES = {
  providers: '/o/$tenant/settings/providers',
  prices: '/o/$tenant/settings/prices',
  spending: '/o/$tenant/settings/spending',
  evaluators: '/o/$tenant/evaluators',
} as const satisfies Partial<Record<CurePage, string>>

/** Why the rule does not act, where that is mended, and the button to let it act again. */
function BlockNotice({ tenant, rule, blocked }: BlockNoticeProps) {
  const mayWrite = useMay('member')
  const update = useMutation(ruleMutation.update(useQueryClient(), rule.id))
  const { label, page, cure } = getBlock(blocked.reason)
  const look = buttonLook()
  function resume() {
    update.mutate(
      { is_enabled: true },
      {
        onSuccess: () => toast.done(`Resumed ${rule.name}`),
        onError: (cause) => toast.failure(`${rule.name} could not be resumed.`, cause),
      },
    )
  }
  return (
    <section
      role="alert"
      aria-label="Blocked"
      className="flex flex-col gap-2 rounded-card border border-err bg-surface p-3 text-row"
    >
      <h2 className="flex items-center gap-2 text-base font-semibold">
        <Ban size={15} className="shrink-0 text-err" aria-hidden />
        Blocked: {label}
      </h2>
      <p className="[overflow-wrap:anywhere]">{blocked.message}</p>
      <p className="text-fg-muted">
        Since {formatAbsoluteTime(blocked.since).replace(/\.\d{3}$/, '')}. Runs that match go on to be collected and
        wait; they are acted on when the cause is mended and the rule is resumed.
      </p>
      <div className="flex flex-wrap gap-2">
        {page === 'settings' || page === 'log' ? (
          <Link
            to="/o/$tenant/rules/$ruleId"
            params={{ tenant, ruleId: rule.id }}
            search={page === 'log' ? { tab: 'log', state: 'failed' } : { tab: 'settings' }}
            className={look}
          >
            {cure}
          </Link>
        ) : (
          <Link to={CURES[page]} params={{ tenant }} className={look}>
            {cure}
          </Link>
        )}
        {mayWrite && (
          <Button look="primary" disabled={update.isPending} onClick={resume}>
            <Play size={13} aria-hidden />
            Resume
          </Button>
        )}
      </div>
    </section>
  )
}

interface FunnelProps {
  tenant: string
  rule: Rule
  funnel: RuleFunnel
}

/** Counts as bars, each a share of what was seen; those with decisions open the log. */
function Funnel({ tenant, rule, funnel }: FunnelProps) {
  const { seen, matched, sampled_out, waiting, limited, done, failed } = funnel
  const sampled = waiting + limited + done + failed
  const max = Math.max(seen, matched, sampled + sampled_out, 1)
  const lines = [
    { label: 'Seen', count: seen },
    { label: 'Matched', count: matched },
    { label: 'In the sample', count: sampled },
    { label: 'Done', count: done, state: 'done' },
    { label: 'Failed', count: failed, state: 'failed' },
    { label: 'Waiting', count: waiting, state: 'waiting' },
    { label: 'Limited by spend', count: limited, state: 'limited' },
    { label: 'Sampled out', count: sampled_out, state: 'sampled_out' },
  ]
  return (
    <>
      <table aria-label="Funnel" className="w-full text-row">
        <tbody>
          {lines.map(({ label, count, state }) => (
            <tr key={label} className="h-7 border-t border-border first:border-0">
              <th scope="row" className="w-40 whitespace-nowrap px-3 text-left font-normal text-fg-muted">
                {state !== undefined && count > 0 ? (
                  <Link
                    to="/o/$tenant/rules/$ruleId"
                    params={{ tenant, ruleId: rule.id }}
                    search={{ tab: 'log', state }}
                    className="text-accent hover:underline"
                  >
                    {label}
                  </Link>
                ) : (
                  label
                )}
              </th>
              <td className={`num w-20 px-3 ${state === 'failed' && count > 0 ? 'text-err' : ''}`}>
                {formatCount(count)}
              </td>
              <td className="pr-3">
                <span
                  aria-hidden
                  className={`block h-2 rounded-control ${state === 'failed' ? 'bg-err' : 'bg-accent'}`}
                  style={{ width: `${(100 * count) / max}%` }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="border-t border-border px-3 py-1.5 text-row text-fg-muted">
        {seen === 0 && sampled === 0
          ? 'Nothing arrived in this window: check that its projects are those that the application sends to.'
          : matched === 0 && sampled === 0
            ? 'Nothing matched in this window. Open a run and its Rules tab to see which condition fails.'
            : `${formatCost(String(funnel.cost))} for ${pluralize(sampled, 'decision')} of this window. Seen and matched also count what arrived before the rule was on.`}
      </p>
    </>
  )
}

const SIGNS = { lt: '<', lte: '≤', eq: '=', gte: '≥', gt: '>' } as const

function RuleFilters({ definition: { filter, trace_filter, tree_filter, feedback } }: Pick<Rule, 'definition'>) {
  const filters = [
    ['', filter],
    ['root of the trace: ', trace_filter],
    ['any run of the trace: ', tree_filter],
  ].filter(([, text]) => text)
  if (filters.length === 0 && feedback == null) return 'all'
  return (
    <ul>
      {feedback != null && (
        <li>
          feedback <code className="font-mono">{feedback.key}</code>
          {feedback.operator != null && ` ${SIGNS[feedback.operator]} ${feedback.score}`}
        </li>
      )}
      {filters.map(([label, text]) => (
        <li key={label}>
          {label}
          <code className="font-mono">{text}</code>
        </li>
      ))}
    </ul>
  )
}

interface FactsProps extends OverviewTabProps {
  lagMs: number | null
}

function Facts({ tenant, rule, now, lagMs }: FactsProps) {
  const names = useNames()
  const spend = useQuery(ruleQuery.spend(rule.id)).data
  const { definition } = rule
  const rows = [
    ['State', <StateMark key="state" rule={rule} />],
    ['Looked', describeLook(rule.looked_at, now)],
    ['Lag, 95 %', lagMs === null ? '–' : `${(lagMs / 1000).toFixed(1)} s`],
    [
      'Spend',
      spend === undefined
        ? '–'
        : `${formatCost(String(spend.spent_usd))}${spend.limit_usd === null ? '' : ` of ${formatCost(String(spend.limit_usd))}`} this ${spend.window}`,
    ],
    [
      'Source',
      definition.dataset_id
        ? `experiments of ${names.datasetName(definition.dataset_id)}`
        : definition.project_ids.map(names.projectName).join(', '),
    ],
    ['Filter', <RuleFilters key="filter" definition={definition} />],
    ['Sample', `${Number((definition.sampling_rate * 100).toPrecision(4))} %`],
    ['Actions', <ActionChips key="actions" actions={definition.actions} names={names} />],
  ] as const
  return (
    <section aria-label="State" className="min-w-0 rounded-card border border-border bg-surface">
      <div className="flex min-h-9 items-center gap-2 border-b border-border px-3">
        <h2 className="min-w-0 flex-1 text-row font-semibold">State</h2>
        <Link
          to="/o/$tenant/rules/$ruleId"
          params={{ tenant, ruleId: rule.id }}
          search={{ tab: 'settings' }}
          className="text-row text-accent hover:underline"
        >
          Change
        </Link>
      </div>
      {rule.description !== '' && (
        <p dir="auto" className="px-3 pt-2 text-row text-fg-muted">
          {rule.description}
        </p>
      )}
      <dl className="flex flex-col px-3 py-2 text-row">
        {rows.map(([label, value]) => (
          <div key={label} className="flex gap-3 py-1">
            <dt className="w-20 shrink-0 text-fg-muted">{label}</dt>
            <dd dir="auto" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
