import { Link } from '@tanstack/react-router'
import type { SharedEntity } from '@touchstone/sdk'
import { formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'

export interface ShareTableProps {
  tenant: string
  shares: readonly SharedEntity[]
  /** Tokens of the selected links. */
  chosen: ReadonlySet<string>
  onChoose: (tokens: ReadonlySet<string>) => void
  onRevoke: (share: SharedEntity) => void
}

/** Public runs, threads and datasets with their links, newest first. */
export function ShareTable({ tenant, shares, chosen, onChoose, onRevoke }: ShareTableProps) {
  const isAll = shares.every((share) => chosen.has(share.share_token))
  const toggle = (token: string) => {
    const next = new Set(chosen)
    if (!next.delete(token)) next.add(token)
    onChoose(next)
  }
  return (
    <table className="w-full text-left text-row max-sm:block">
      <thead className="sticky top-0 border-b border-border bg-surface text-meta text-fg-subtle max-sm:block">
        <tr className="h-7 max-sm:flex max-sm:items-center">
          <th scope="col" className="w-8 pl-3 max-sm:flex max-sm:w-auto max-sm:items-center">
            <input
              type="checkbox"
              aria-label="Select all"
              className="block"
              checked={isAll}
              onChange={() => onChoose(new Set(isAll ? [] : shares.map((share) => share.share_token)))}
            />
            <span aria-hidden className="pl-2 font-normal sm:hidden">
              All
            </span>
          </th>
          {['Name', 'Type', 'Project', 'Shared'].map((title) => (
            <th key={title} scope="col" className="px-3 font-normal max-sm:hidden">
              {title}
            </th>
          ))}
          <th scope="col" className="max-sm:hidden">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {shares.map((share) => (
          <tr
            key={share.share_token}
            className="h-9 border-b border-border hover:bg-hover max-sm:flex max-sm:h-auto max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:p-3"
          >
            <td className="pl-3 max-sm:p-0">
              <input
                type="checkbox"
                aria-label={`Select ${getShareName(share)}`}
                className="block"
                checked={chosen.has(share.share_token)}
                onChange={() => toggle(share.share_token)}
              />
            </td>
            <th
              scope="row"
              className="max-w-72 truncate px-3 font-medium max-sm:min-w-[80%] max-sm:flex-1 max-sm:p-0 max-sm:text-base"
            >
              <a href={toPublicPath(share)} target="_blank" rel="noreferrer" className="hover:underline">
                {getShareName(share)}
              </a>
            </th>
            <td className="px-3 max-sm:p-0">{describeKind(share)}</td>
            <td className="max-w-60 truncate px-3 text-fg-muted max-sm:p-0">
              {share.type === 'run' && (
                <Link
                  to="/o/$tenant/projects/p/$projectId/r/$runId"
                  params={{ tenant, projectId: share.session_id, runId: share.run_id }}
                  className="hover:underline"
                >
                  {share.session_name}
                </Link>
              )}
              {share.type === 'thread' && (
                <Link
                  to="/o/$tenant/projects/p/$projectId/threads/$threadId"
                  params={{ tenant, projectId: share.session_id, threadId: share.thread_id }}
                  className="hover:underline"
                >
                  {share.session_name}
                </Link>
              )}
            </td>
            <td className="whitespace-nowrap px-3 text-fg-muted max-sm:p-0" title={share.created_at}>
              {formatRelativeTime(share.created_at).replace(/\.\d{3}$/, '')}
            </td>
            <td className="whitespace-nowrap px-3 text-right max-sm:ml-auto max-sm:p-0">
              <span className="inline-flex items-center gap-1.5">
                <CopyButton
                  text={location.origin + toPublicPath(share)}
                  label={`Copy link of ${getShareName(share)}`}
                  iconOnly
                />
                <Button look="danger" onClick={() => onRevoke(share)} aria-label={`Revoke ${getShareName(share)}`}>
                  Revoke
                </Button>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function getShareName(share: SharedEntity): string {
  if (share.type === 'thread') return share.thread_id
  return share.type === 'run' ? share.run_name : share.dataset_name
}

function describeKind(share: SharedEntity): string {
  if (share.type === 'thread') return 'Thread'
  if (share.type === 'run') return share.run_type
  return share.shares_projects ? 'Dataset with experiments' : 'Dataset'
}

/** Threads have no public page; their link leads to the API response. */
function toPublicPath(share: SharedEntity): string {
  if (share.type === 'thread') return `/api/v2/public/${share.share_token}/thread/traces`
  return `/public/${share.share_token}/${share.type === 'run' ? 'r' : 'd'}`
}
