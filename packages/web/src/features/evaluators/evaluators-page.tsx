import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SavedEvaluator } from '@touchstone/sdk'
import { Gavel, Plus, SearchX } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatRelativeTime, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { KIND_LABELS } from './draft.ts'
import { evaluatorQuery } from './queries.ts'

/** The evaluators of the workspace that the server runs. */
export function EvaluatorsPage({ tenant }: { tenant: string }) {
  const mayWrite = useMay('member')
  const { data, error, refetch } = useQuery(evaluatorQuery.list())
  const [text, setText] = useState('')
  const words = text.trim().toLowerCase()
  const found = data?.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(words))
  const isEmpty = data?.length === 0
  return (
    <PageFrame
      title="Evaluators"
      actions={mayWrite && !isEmpty && <NewLinks tenant={tenant} />}
      toolbar={
        !isEmpty && (
          <SearchField label="Search evaluators" placeholder="Search by name" value={text} onChange={setText} />
        )
      }
      status={data && <span>{pluralize(data.length, 'evaluator')}</span>}
    >
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {error !== null && data === undefined && (
          <ErrorState title="Could not load the evaluators" error={error} onRetry={() => void refetch()} />
        )}
        {error === null && data === undefined && <SkeletonRows label="Loading evaluators" />}
        {isEmpty && <NoEvaluators tenant={tenant} mayWrite={mayWrite} />}
        {data !== undefined && !isEmpty && found?.length === 0 && (
          <EmptyState icon={SearchX} title="No evaluator matches">
            No name or description contains “{text.trim()}”.
          </EmptyState>
        )}
        {found !== undefined && found.length > 0 && (
          <CardTable
            label="Evaluators"
            isSticky
            columns={['Name', 'Kind', 'Feedback keys', { title: 'Version', isNumber: true }, 'Author', 'Changed']}
          >
            {found.map((evaluator) => (
              <EvaluatorRow key={evaluator.id} tenant={tenant} evaluator={evaluator} />
            ))}
          </CardTable>
        )}
      </div>
    </PageFrame>
  )
}

function NewLinks({ tenant }: { tenant: string }) {
  const to = '/o/$tenant/evaluators/new'
  return (
    <>
      <Link to={to} params={{ tenant }} search={{ kind: 'javascript' }} className={buttonLook()}>
        New JavaScript
      </Link>
      <Link to={to} params={{ tenant }} search={{ kind: 'llm_judge' }} className={buttonLook('primary')}>
        <Plus size={13} aria-hidden />
        New judge
      </Link>
    </>
  )
}

function NoEvaluators({ tenant, mayWrite }: { tenant: string; mayWrite: boolean }) {
  return (
    <EmptyState icon={Gavel} title="No evaluators" actions={mayWrite && <NewLinks tenant={tenant} />}>
      An evaluator scores the answers of an application: a model with a prompt, or a function in JavaScript. The server
      runs it over experiments and in the playground. Compare it with scores of people before you trust it.
    </EmptyState>
  )
}

function EvaluatorRow({ tenant, evaluator }: { tenant: string; evaluator: SavedEvaluator }) {
  const { id, name, description, kind, keys, version, created_by: author, modified_at: changed } = evaluator
  return (
    <CardRow>
      <th scope="row" className="max-w-96 truncate px-3 font-normal max-sm:w-full max-sm:max-w-none max-sm:p-0">
        <Link
          to="/o/$tenant/evaluators/$evaluatorId"
          params={{ tenant, evaluatorId: id }}
          dir="auto"
          className="font-medium hover:underline"
        >
          {name}
        </Link>
        {description && (
          <span dir="auto" className="text-fg-muted">
            {' '}
            {description.slice(0, 200)}
          </span>
        )}
      </th>
      <td className="whitespace-nowrap px-3 max-sm:p-0">{KIND_LABELS[kind]}</td>
      <td className="max-w-64 truncate px-3 font-mono text-fg-muted max-sm:p-0">{keys.join(', ') || 'any'}</td>
      <td className="num px-3 max-sm:p-0">
        <span className="sm:hidden">version </span>
        {version}
      </td>
      <td dir="auto" className="max-w-40 truncate px-3 text-fg-muted max-sm:p-0">
        {author}
      </td>
      <td
        className="whitespace-nowrap px-3 text-fg-muted max-sm:ml-auto max-sm:p-0"
        title={formatAbsoluteTime(changed)}
      >
        {formatRelativeTime(changed).replace(/\.\d{3}$/, '')}
      </td>
    </CardRow>
  )
}
