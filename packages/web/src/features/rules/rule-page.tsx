import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Rule } from '@touchstone/sdk'
import { Ellipsis, FileQuestion, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { describeFailure } from '#lib/errors.ts'
import type { SearchOf } from '#lib/search-schema.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { PageTabs } from '#shell/frame/page-tabs.tsx'
import { Button, buttonLook, IconButton } from '#ui/button.tsx'
import { DeleteDialog } from '#ui/delete-dialog.tsx'
import { useNow } from '#ui/hooks.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { LogTab } from './page/log-tab.tsx'
import { OverviewTab } from './page/overview-tab.tsx'
import { SettingsTab } from './page/settings-tab.tsx'
import { VersionsTab } from './page/versions-tab.tsx'
import { ruleMutation, ruleQuery } from './queries.ts'
import { StateMark } from './rule-marks.tsx'
import type { RuleSearch, RuleTab } from './search.ts'
import { describeLook, isRuleState } from './state.ts'

interface RulePageProps {
  tenant: string
  id: string
  search: SearchOf<typeof RuleSearch>
}

const LABELS: Readonly<Record<RuleTab, string>> = {
  overview: 'Overview',
  log: 'Log',
  versions: 'Versions',
  settings: 'Settings',
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** One rule: what came of it, what it decided about each run, its versions, and its definition. */
export function RulePage(props: RulePageProps) {
  return UUID.test(props.id) ? <KnownRule {...props} /> : <NotFound tenant={props.tenant} />
}

function KnownRule({ tenant, id, search }: RulePageProps) {
  const { tab, state } = search
  const { data, error, refetch } = useQuery(ruleQuery.one(id))
  const now = useNow(5_000)
  if (describeFailure(error).status === 404) return <NotFound tenant={tenant} />
  const to = '/o/$tenant/rules/$ruleId' as const
  const tabs = (Object.keys(LABELS) as RuleTab[]).map((one) => ({
    id: one,
    label: LABELS[one],
    link: { to, params: { tenant, ruleId: id }, search: { tab: one, ...(one === tab && { state }) } },
  }))
  return (
    <PageFrame
      title={data?.name ?? 'Rule'}
      tabs={<PageTabs label="Rule" current={tab} tabs={tabs} />}
      actions={data && <Actions tenant={tenant} rule={data} />}
      status={
        data && (
          <>
            {/* The header of a phone does not show it. */}
            <span className="max-w-40 truncate sm:hidden">{data.name}</span>
            <StateMark rule={data} />
            <span>Version {data.version}</span>
            <span className="max-sm:hidden">Looked {describeLook(data.looked_at, now)}</span>
          </>
        )
      }
    >
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {data === undefined ? (
          error === null ? (
            <SkeletonRows label="Loading the rule" />
          ) : (
            <ErrorState title="Could not load the rule" error={error} onRetry={() => void refetch()} />
          )
        ) : tab === 'log' ? (
          <LogTab tenant={tenant} rule={data} state={isRuleState(state) ? state : undefined} />
        ) : tab === 'versions' ? (
          <VersionsTab rule={data} />
        ) : tab === 'settings' ? (
          <SettingsTab tenant={tenant} rule={data} />
        ) : (
          <OverviewTab tenant={tenant} rule={data} now={now} />
        )}
      </div>
    </PageFrame>
  )
}

function NotFound({ tenant }: { tenant: string }) {
  return (
    <PageFrame title="Not found">
      <div className="flex-1">
        <EmptyState
          icon={FileQuestion}
          title="This rule was not found"
          actions={
            <Link to="/o/$tenant/rules" params={{ tenant }} className={buttonLook('primary')}>
              Show rules
            </Link>
          }
        >
          It may have been deleted, or belong to another workspace.
        </EmptyState>
      </div>
    </PageFrame>
  )
}

function Actions({ tenant, rule }: { tenant: string; rule: Rule }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const queryClient = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const update = useMutation(ruleMutation.update(queryClient, rule.id))
  const remove = useMutation(ruleMutation.delete(queryClient, rule.id))
  if (!mayWrite) return null
  const toggle = () =>
    update.mutate(
      { is_enabled: !rule.is_enabled },
      {
        onSuccess: ({ is_enabled }) => toast.done(`${is_enabled ? 'Resumed' : 'Paused'} ${rule.name}`),
        onError: (cause) => toast.failure(`${rule.name} could not be changed.`, cause),
      },
    )
  const Icon = rule.is_enabled ? Pause : Play
  return (
    <>
      <Button disabled={update.isPending} onClick={toggle}>
        <Icon size={13} aria-hidden />
        {rule.is_enabled ? 'Pause' : 'Resume'}
      </Button>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${rule.name}`} />}>
        <MenuItem icon={<Trash2 size={13} aria-hidden />} danger onSelect={() => setDeleting(true)}>
          Delete…
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteDialog
          name={rule.name}
          noun="rule"
          isPending={remove.isPending}
          remove={(callbacks) => remove.mutate(undefined, callbacks)}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/o/$tenant/rules', params: { tenant }, ignoreBlocker: true })}
        >
          Its decisions and versions are deleted with it. What it did stays.
        </DeleteDialog>
      )}
    </>
  )
}
