import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { SharedEntity } from '@touchstone/sdk'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { formatCount, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { revokeShares, shareQuery } from './queries.ts'
import { ShareTable } from './share-table.tsx'

const route = getRouteApi('/o/$tenant/settings/shared')

/** All public links of the workspace, with buttons to revoke them. */
export function SharedPage() {
  const { tenant } = route.useParams()
  const shares = useQuery(shareQuery.list())
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [revoking, setRevoking] = useState<readonly SharedEntity[]>()
  const revoke = useMutation({ mutationFn: (tokens: readonly string[]) => revokeShares(queryClient, tokens) })
  const present = shares.data ?? []
  const selected = present.filter((share) => chosen.has(share.share_token))

  function confirm(affected: readonly SharedEntity[]) {
    revoke.mutate(
      affected.map((share) => share.share_token),
      {
        onSuccess: () => {
          setChosen(new Set())
          toast.done(affected.length === 1 ? 'Revoked link' : `Revoked ${formatCount(affected.length)} links`)
        },
        onError: (cause) => toast.failure('Could not revoke the links', cause),
        onSettled: () => setRevoking(undefined),
      },
    )
  }
  return (
    <PageFrame
      title="Shared links"
      actions={
        selected.length > 0 && (
          <Button look="danger" onClick={() => setRevoking(selected)}>
            Revoke {pluralize(selected.length, 'link')}
          </Button>
        )
      }
      status={
        shares.data && (
          <span>
            {formatCount(present.length)} public {present.length === 1 ? 'link' : 'links'}
            {selected.length > 0 && `, ${formatCount(selected.length)} selected`}
          </span>
        )
      }
    >
      <div className="min-h-0 flex-1 overflow-auto">
        {shares.isPending && <SkeletonRows rows={6} label="Loading shared links" />}
        {shares.isError && (
          <ErrorState title="Could not load shared links" error={shares.error} onRetry={() => void shares.refetch()} />
        )}
        {shares.data && present.length === 0 && (
          <EmptyState icon={Link2} title="No public links">
            Shared runs, threads and datasets appear here. Anyone with the link can read them.
          </EmptyState>
        )}
        {present.length > 0 && (
          <ShareTable
            tenant={tenant}
            shares={present}
            chosen={chosen}
            onChoose={setChosen}
            onRevoke={(share) => setRevoking([share])}
          />
        )}
      </div>
      {revoking && (
        <ConfirmDialog
          title={revoking.length === 1 ? 'Revoke this link?' : `Revoke ${formatCount(revoking.length)} links?`}
          action="Revoke"
          isBusy={revoke.isPending}
          {...(revoking.length > 1 && { typed: String(revoking.length) })}
          onCancel={() => setRevoking(undefined)}
          onConfirm={() => confirm(revoking)}
        >
          {revoking.length === 1 ? 'The link stops' : 'The links stop'} working at once. Sharing again creates a new
          link.
        </ConfirmDialog>
      )}
    </PageFrame>
  )
}
