import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { evaluatorQuery } from '#features/evaluators/queries.ts'
import { draftQuery } from '#features/playground/queries.ts'
import { Crumb, CrumbName, CrumbSwitcher, SiblingList } from './crumb.tsx'

/** The open evaluator. */
export function EvaluatorCrumb({ tenant, evaluatorId }: { tenant: string; evaluatorId: string }) {
  const evaluator = useQuery({ ...evaluatorQuery.one(evaluatorId), retry: false })
  return (
    <Crumb>
      <Link
        to="/o/$tenant/evaluators/$evaluatorId"
        params={{ tenant, evaluatorId }}
        className="truncate text-fg hover:underline"
      >
        <CrumbName name={evaluator.data?.name ?? evaluatorId.slice(0, 8)} />
      </Link>
      <CrumbSwitcher label="Switch evaluator">
        {(close) => <EvaluatorSiblings tenant={tenant} evaluatorId={evaluatorId} onPick={close} />}
      </CrumbSwitcher>
    </Crumb>
  )
}

interface EvaluatorSiblingsProps {
  tenant: string
  evaluatorId: string
  onPick: () => void
}

function EvaluatorSiblings({ tenant, evaluatorId, onPick }: EvaluatorSiblingsProps) {
  const { data } = useQuery(evaluatorQuery.list())
  return (
    <SiblingList
      noun="evaluator"
      items={data ?? []}
      currentId={evaluatorId}
      link={({ id }, look) => (
        <Link to="/o/$tenant/evaluators/$evaluatorId" params={{ tenant, evaluatorId: id }} onClick={onPick} {...look} />
      )}
    />
  )
}

/** The open draft of the playground, as it was saved last. */
export function DraftCrumb({ draftId }: { draftId: string }) {
  const name = useQuery(draftQuery.list()).data?.drafts.find(({ id }) => id === draftId)?.name
  if (name === undefined) return null
  return (
    <Crumb hideOnPhone>
      <span className="truncate text-fg">
        <CrumbName name={name} />
      </span>
    </Crumb>
  )
}
