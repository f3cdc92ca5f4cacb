import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ruleQuery } from '#features/rules/queries.ts'
import { Crumb, CrumbName, CrumbSwitcher, SiblingList } from './crumb.tsx'

/** The open rule, with a menu to switch to another one. */
export function RuleCrumb({ tenant, ruleId }: { tenant: string; ruleId: string }) {
  const rule = useQuery({ ...ruleQuery.one(ruleId), retry: false })
  return (
    <Crumb>
      <Link to="/o/$tenant/rules/$ruleId" params={{ tenant, ruleId }} className="truncate text-fg hover:underline">
        <CrumbName name={rule.data?.name ?? ruleId.slice(0, 8)} />
      </Link>
      <CrumbSwitcher label="Switch rule">
        {(close) => <RuleSiblings tenant={tenant} ruleId={ruleId} onPick={close} />}
      </CrumbSwitcher>
    </Crumb>
  )
}

function RuleSiblings({ tenant, ruleId, onPick }: { tenant: string; ruleId: string; onPick: () => void }) {
  const { data } = useQuery(ruleQuery.list())
  return (
    <SiblingList
      noun="rule"
      items={data ?? []}
      currentId={ruleId}
      link={({ id }, look) => (
        <Link to="/o/$tenant/rules/$ruleId" params={{ tenant, ruleId: id }} onClick={onPick} {...look} />
      )}
    />
  )
}
