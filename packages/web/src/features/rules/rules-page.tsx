import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Rule, RuleCounts } from '@touchstone/sdk'
import { Plus, SearchX, Workflow } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatCost, formatCount, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { useNow } from '#ui/hooks.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { ruleQuery } from './queries.ts'
import { ActionChips, StateMark } from './rule-marks.tsx'
import { describeLook, LAG_MS } from './state.ts'
import { TEMPLATES } from './templates.ts'
import { type Names, useNames } from './use-names.ts'

/** The rules of the workspace: what each does, whether it acts, and what came of it in the last 24 hours. */
export function RulesPage({ tenant }: { tenant: string }) {
  const mayWrite = useMay('member')
  const { data, error, refetch } = useQuery(ruleQuery.list())
  const counts = useQuery({ ...ruleQuery.counts(), enabled: (data?.length ?? 0) > 0 })
  const names = useNames()
  const now = useNow(5_000)
  const [text, setText] = useState('')
  const words = text.trim().toLowerCase()
  const found = data?.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(words))
  const isEmpty = data?.length === 0
  const blocked = data?.filter((rule) => rule.is_enabled && rule.blocked !== null).length ?? 0
  return (
    <PageFrame
      title="Automations"
      actions={mayWrite && !isEmpty && <NewRuleLink tenant={tenant} />}
      toolbar={
        !isEmpty && <SearchField label="Search rules" placeholder="Search by name" value={text} onChange={setText} />
      }
      status={
        data && (
          <>
            <span>{pluralize(data.length, 'rule')}</span>
            {blocked > 0 && <span className="text-err">{blocked} blocked</span>}
          </>
        )
      }
    >
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {error !== null && data === undefined && (
          <ErrorState title="Could not load the rules" error={error} onRetry={() => void refetch()} />
        )}
        {error === null && data === undefined && <SkeletonRows label="Loading rules" />}
        {isEmpty && <NoRules tenant={tenant} mayWrite={mayWrite} />}
        {data !== undefined && !isEmpty && found?.length === 0 && (
          <EmptyState icon={SearchX} title="No rule matches">
            No name or description contains “{text.trim()}”.
          </EmptyState>
        )}
        {found !== undefined && found.length > 0 && (
          <CardTable
            label="Rules"
            isSticky
            columns={[
              'Name',
              'State',
              'Actions',
              { title: 'Matched, 24 h', isNumber: true },
              { title: 'In sample', isNumber: true },
              { title: 'Done', isNumber: true },
              { title: 'Failed', isNumber: true },
              { title: 'Cost', isNumber: true },
            ]}
          >
            {found.map((rule) => (
              <RuleRow
                key={rule.id}
                tenant={tenant}
                rule={rule}
                counts={counts.data?.get(rule.id)}
                names={names}
                now={now}
              />
            ))}
          </CardTable>
        )}
      </div>
    </PageFrame>
  )
}

function NewRuleLink({ tenant }: { tenant: string }) {
  return (
    <Link to="/o/$tenant/rules/new" params={{ tenant }} className={buttonLook('primary')}>
      <Plus size={13} aria-hidden />
      New rule
    </Link>
  )
}

function NoRules({ tenant, mayWrite }: { tenant: string; mayWrite: boolean }) {
  return (
    <EmptyState icon={Workflow} title="No rules" actions={mayWrite && <NewRuleLink tenant={tenant} />}>
      A rule acts on runs by itself: it judges production traces, or collects them for review. For every run it tells
      what it decided, and why. Start from a template, or filter a list of runs and choose “Create rule” in its views.
      {mayWrite && (
        <ul aria-label="Templates" className="mt-3 flex flex-col gap-2 text-left">
          {TEMPLATES.map(({ id, title, explanation }) => (
            <li key={id}>
              <Link
                to="/o/$tenant/rules/new"
                params={{ tenant }}
                search={{ template: id }}
                className="flex flex-col rounded-card border border-border bg-surface p-3 hover:bg-hover"
              >
                <span className="font-medium text-fg">{title}</span>
                <span className="text-row">{explanation}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </EmptyState>
  )
}

interface RuleRowProps {
  tenant: string
  rule: Rule
  counts: RuleCounts | undefined
  names: Names
  now: number
}

const MAX_SOURCES = 2

function RuleRow({ tenant, rule, counts, names, now }: RuleRowProps) {
  const { definition } = rule
  const sources = definition.dataset_id
    ? [`experiments of ${names.datasetName(definition.dataset_id)}`]
    : definition.project_ids.map(names.projectName)
  const rest = sources.length - MAX_SOURCES
  const sampled = counts && counts.waiting + counts.limited + counts.done + counts.failed
  return (
    <CardRow>
      <th scope="row" className="max-w-80 px-3 py-1 font-normal max-sm:w-full max-sm:max-w-none max-sm:p-0">
        <Link
          to="/o/$tenant/rules/$ruleId"
          params={{ tenant, ruleId: rule.id }}
          dir="auto"
          className="block truncate font-medium hover:underline"
        >
          {rule.name}
        </Link>
        <span dir="auto" title={sources.join(', ')} className="block truncate text-meta text-fg-muted">
          {sources.slice(0, MAX_SOURCES).join(', ')}
          {rest > 0 && ` and ${rest} more`}
        </span>
      </th>
      <td className="px-3 py-1 max-sm:w-full max-sm:p-0">
        <StateMark rule={rule} />
        <span className="block text-meta text-fg-muted" title="When it last looked for runs, and how late it acts">
          Looked {describeLook(rule.looked_at, now)}
          {counts?.lag_p95_ms != null && (
            <span className={counts.lag_p95_ms > LAG_MS ? 'text-warn' : ''}>
              , lag {(counts.lag_p95_ms / 1000).toFixed(1)} s
            </span>
          )}
        </span>
      </td>
      <td className="max-w-96 px-3 py-1 max-sm:w-full max-sm:max-w-none max-sm:p-0">
        <ActionChips actions={definition.actions} names={names} />
      </td>
      <Figure label="matched" value={counts && formatCount((sampled ?? 0) + counts.sampled_out)} />
      <Figure label="in sample" value={counts && formatCount(sampled)} title={counts && describeOpen(counts)} />
      <Figure label="done" value={counts && formatCount(counts.done)} />
      <Figure label="failed" value={counts && formatCount(counts.failed)} isError={(counts?.failed ?? 0) > 0} />
      <Figure label="cost" value={counts && formatCost(String(counts.cost))} />
    </CardRow>
  )
}

const describeOpen = ({ waiting, limited }: RuleCounts) => `${waiting} of them waiting, ${limited} limited by spend`

interface FigureProps {
  label: string
  value: string | undefined
  title?: string | undefined
  isError?: boolean
}

function Figure({ label, value, title, isError = false }: FigureProps) {
  return (
    <td title={title} className={`num px-3 max-sm:p-0 ${isError ? 'text-err' : ''}`}>
      <span className="text-fg-muted sm:hidden">{label} </span>
      {value ?? '–'}
    </td>
  )
}
