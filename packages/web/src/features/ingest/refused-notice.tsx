import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useMay } from '#features/accounts/me.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { toast } from '#ui/toast.tsx'
import { ingestReceiptMutation, ingestReceiptQuery } from './queries.ts'

/** Runs that were acknowledged and that the store refused afterwards; nothing is shown without one. */
export function RefusedNotice() {
  const refused = useQuery(ingestReceiptQuery.refused())
  const isAdmin = useMay('admin')
  const retry = useMutation(ingestReceiptMutation.retryRefused(useQueryClient()))
  if (refused.data === undefined || refused.data.total === 0) return null
  const { total, items } = refused.data
  return (
    <section aria-label="Refused runs" className="flex items-center gap-3 border-b border-border p-3 text-row">
      <TriangleAlert size={16} className="shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 flex-1">
        <strong>{pluralize(total, 'accepted run')} could not be stored.</strong> The server keeps{' '}
        {total === 1 ? 'it' : 'them'}. <span className="text-fg-muted">{items[0]?.reason}</span>
      </p>
      <Button
        disabled={retry.isPending || !isAdmin}
        title={isAdmin ? undefined : 'Only admins can store refused runs again.'}
        onClick={() =>
          retry.mutate(undefined, {
            onSuccess: ({ accepted, refused: again }) =>
              again === 0
                ? toast.done(`Stored ${pluralize(accepted, 'run')}`)
                : toast.failure(`Stored ${pluralize(accepted, 'run')}; ${formatCount(again)} refused again`),
            onError: (error) => toast.failure('Could not store the runs again', error),
          })
        }
      >
        Retry
      </Button>
    </section>
  )
}
