import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import { findProviderName } from '@touchstone/formats/models'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from '#lib/browser.ts'
import {
  formatAbsoluteTime,
  formatCost,
  formatCount,
  formatLatency,
  formatTokenPair,
  formatTokens,
  pluralize,
} from '#lib/format.ts'
import { drawnRunType } from '#lib/run-types.ts'
import { CLOCK_BACKWARDS, isClockBackwards, msBetween } from '#lib/time/time-range.ts'
import { CopyButton } from '#ui/copy-button.tsx'
import { useDelayedFlag } from '#ui/hooks.tsx'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { runStatsQuery } from '../stats-queries.ts'
import { FilterChipLink } from './list-links.tsx'
import { PublicRunTags, RunTags } from './run-tags.tsx'
import {
  buildUsageRows,
  explainRepeat,
  findPromptCommit,
  findRunModel,
  formatReportedMark,
  formatReportedUsage,
  formatRowCosts,
  formatUnpricedFees,
  type PromptCommit,
  pricePerMillion,
  unknownCostReason,
} from './run-values.ts'

/** The median is not meaningful with fewer runs. */
const LEAST_RUNS = 5

/**
 * Latency compared to the median of runs with the same name. Loads after a short delay, so that skimming costs no
 * requests.
 */
function LatencyBesideMedian({ run, ms, isAlone }: { run: Run; ms: number; isAlone: boolean }) {
  const isLooking = useDelayedFlag(true, 400)
  const { data } = useQuery({ ...runStatsQuery.median(run.session_id, run.name), enabled: isLooking })
  if (!data?.ms || data.count < LEAST_RUNS) return null
  const share = ms / data.ms
  const isSlow = share >= 2
  return (
    <span
      className={isSlow ? 'text-warn' : 'text-fg-subtle'}
      title={`Median of ${pluralize(data.count, 'run')} named ${run.name} in the last 24 h: ${formatLatency(data.ms)}`}
    >
      {' '}
      {share < 0.95 || share > 1.05 ? `${printShare(share)}× median` : '≈ median'}
      {isAlone && ' latency'}
    </span>
  )
}

function printShare(share: number): string {
  return share >= 10 ? formatCount(Math.round(share)) : share.toPrecision(2)
}

export interface RunFactsProps {
  run: Run
  /** Whether the page is public; then no other runs are queried. */
  isPublic: boolean
  actions?: ReactNode
  /**
   * Whether the header of the trace beside the panel already has the name, status, latency, tokens, cost and start of this
   * run. @default false
   */
  isInTraceHeader?: boolean
}

/** Header of the panel: name, status, latency, tokens and cost of the run. No fact stands here and in the header of the trace. */
export function RunFacts({ run, isPublic, actions, isInTraceHeader = false }: RunFactsProps) {
  const [open, setOpen] = useState(false)
  const latency = msBetween(run.start_time, run.end_time)
  const usage = buildUsageRows(run)
  const model = findRunModel(run)
  const prompt = findPromptCommit(run)
  const reported = formatReportedUsage(run)
  const mark = formatReportedMark(run)
  const unpriced = formatUnpricedFees(run)
  const repeat = explainRepeat(run)
  const provider = findProviderName(run.extra)
  return (
    <header className="shrink-0 border-b border-border px-3 py-2">
      <div className="flex min-w-0 items-center gap-2">
        <RunTypeIcon type={drawnRunType(run)} size={15} />
        {isInTraceHeader ? (
          <h2 className="min-w-0 truncate text-form font-semibold">
            Root run<span className="sr-only"> {run.name}</span>
          </h2>
        ) : (
          <>
            <h2 dir="auto" title={run.name} className="min-w-0 truncate text-form font-semibold">
              {run.name}
            </h2>
            <StatusMark status={run.status} start_time={run.start_time} end_time={run.end_time} showSuccess />
          </>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-1 text-meta text-fg-subtle">
          <span className="hidden font-mono sm:inline" title={run.id}>
            {run.id.slice(0, 8)}
          </span>
          <CopyButton iconOnly text={run.id} label="Copy run ID" />
          {actions}
        </span>
      </div>
      <dl className="mt-0.5 flex flex-wrap items-center gap-x-4 gap-y-0.5 text-row text-fg-muted">
        <Fact label="Type">{run.run_type}</Fact>
        {model !== undefined && (
          <Fact label="Model" title={provider}>
            {model}
          </Fact>
        )}
        <Fact label="Latency">
          {!isInTraceHeader && (latency === undefined ? 'running' : formatLatency(latency))}
          {isClockBackwards(run) && (
            <span title={CLOCK_BACKWARDS} className="text-warn">
              {isInTraceHeader ? '' : ' '}clock went backwards
            </span>
          )}
          {latency !== undefined && !isPublic && (
            <LatencyBesideMedian run={run} ms={latency} isAlone={isInTraceHeader} />
          )}
        </Fact>
        {run.first_token_time && (
          <Fact label="Time to first token" shown="TTFT">
            {formatLatency(msBetween(run.start_time, run.first_token_time))}
          </Fact>
        )}
        {!isInTraceHeader && (
          <Fact label="Started" title={run.start_time}>
            {formatAbsoluteTime(run.start_time)}
          </Fact>
        )}
        {prompt && (
          <Fact label="Prompt" shown="Prompt" title={`${prompt.prompt}:${prompt.hash}`}>
            <PromptName run={run} prompt={prompt} isPublic={isPublic} />
          </Fact>
        )}
        {usage.length > 0 && (
          <Fact label="Tokens and cost">
            <button
              type="button"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
              className="flex items-center gap-1 tabular-nums hover:text-fg"
            >
              <ChevronRight size={13} aria-hidden className={cx(open && 'rotate-90')} />
              {isInTraceHeader
                ? `Tokens and cost by class${mark}`
                : `${formatTokenPair(run.prompt_tokens, run.completion_tokens)} tokens · ${formatCost(run.total_cost, unknownCostReason(run))}${mark}`}
            </button>
          </Fact>
        )}
        {unpriced && (
          <Fact
            label="Not in the cost"
            shown="Not in the cost"
            title="The provider charges for this beside tokens; no price is known"
          >
            <span className="text-warn">{unpriced}</span>
          </Fact>
        )}
        {repeat && (
          <Fact label="Tokens and cost" title={repeat}>
            <span className="rounded-control bg-hover px-1 text-fg-muted">repeats a call</span>
            <span className="sr-only"> {repeat}</span>
          </Fact>
        )}
        {reported && (
          <Fact label="Reported by the program" shown="Reported" title="Reported by the program; in no total">
            <span className="text-fg-subtle">{reported}</span>
          </Fact>
        )}
        {isPublic ? <PublicRunTags run={run} /> : <RunTags run={run} />}
      </dl>
      {open && <UsageTable run={run} isPublic={isPublic} />}
    </header>
  )
}

/** Link to the runs of the same prompt commit. */
function PromptName({ run, prompt, isPublic }: { run: Run; prompt: PromptCommit; isPublic: boolean }) {
  const name = `${prompt.prompt}:${prompt.hash.slice(0, 8)}`
  if (isPublic) return name
  return (
    <FilterChipLink run={run} filter={prompt.filter} title={`Runs with commit ${prompt.hash} of ${prompt.prompt}`}>
      {name}
    </FilterChipLink>
  )
}

function UsageTable({ run, isPublic }: RunFactsProps) {
  const reason = unknownCostReason(run)
  const tenant = isPublic ? undefined : run.app_path?.split('/')[2]
  const rows = buildUsageRows(run)
  const costs = formatRowCosts(rows)
  return (
    <div className="mt-2 overflow-x-auto">
      <table className="text-row tabular-nums">
        <caption className="sr-only">Tokens and cost by class, including the runs below</caption>
        <thead className="text-meta text-fg-subtle">
          <tr>
            <th scope="col" className="pr-8 text-left font-normal">
              Class
            </th>
            <th scope="col" className="pr-6 text-right font-normal">
              Tokens
            </th>
            <th scope="col" className="pr-6 text-right font-normal">
              Price per 1M
            </th>
            <th scope="col" className="text-right font-normal">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.label} className={cx(row.label === 'Total' && 'border-t border-border font-medium')}>
              <th
                scope="row"
                className={cx(
                  'pr-8 text-left',
                  row.label === 'Total' ? 'font-medium' : 'font-normal',
                  row.isPart && 'pl-3 text-fg-muted',
                )}
              >
                {row.label}
              </th>
              <td className="pr-6 text-right">{formatTokens(row.tokens)}</td>
              <td className="pr-6 text-right text-fg-muted">{row.isSum ? '' : formatCost(pricePerMillion(row))}</td>
              <td className="text-right" title={row.cost === undefined ? reason : `$${row.cost}`}>
                {costs[at]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1 flex flex-wrap gap-x-3 text-meta text-fg-muted">
        {reason && <span>Cost unknown: {reason}.</span>}
        {formatReportedMark(run) && <span>The cost was reported by the program, not computed from prices.</span>}
        {tenant !== undefined && <PricesLink run={run} tenant={tenant} />}
      </p>
    </div>
  )
}

/** For a run without a cost, opens the form of the price of its model. */
function PricesLink({ run, tenant }: { run: Run; tenant: string }) {
  const model = findRunModel(run)
  const isUnpriced = !run.total_cost && Boolean(run.total_tokens) && model !== undefined
  return (
    <Link
      to="/o/$tenant/settings/prices"
      params={{ tenant }}
      search={isUnpriced ? { model, provider: findProviderName(run.extra) } : {}}
      className="text-accent hover:underline"
    >
      {isUnpriced ? 'Add price' : 'Model prices'}
    </Link>
  )
}

interface FactProps {
  label: string
  /** Visible label; without it, the label is for screen readers only. */
  shown?: string
  title?: string | undefined
  children: ReactNode
}

function Fact({ label, shown, title, children }: FactProps) {
  return (
    // Without a value there is no gap either.
    <div className="flex min-w-0 items-center gap-1 has-[dd:empty]:hidden" title={title}>
      <dt className={shown ? 'text-fg-subtle' : 'sr-only'}>{shown ?? label}</dt>
      <dd className="min-w-0 truncate tabular-nums">{children}</dd>
    </div>
  )
}
