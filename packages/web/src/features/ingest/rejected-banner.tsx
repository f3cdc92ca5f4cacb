import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { ingestReceiptQuery } from './queries.ts'
import { describeRejected } from './receipts.ts'

/** Reports that runs of a project were rejected in the last hour. Dismissed until the page is loaded again or more are rejected. */
export function RejectedBanner({ tenant, projectId }: { tenant: string; projectId: string }) {
  const { data } = useQuery(ingestReceiptQuery.rejected(projectId))
  const [dismissed, setDismissed] = useState(0)
  const sentence = describeRejected(data)
  if (sentence === undefined || data === undefined || data.rejected_total <= dismissed) return null
  return (
    <div
      role="alert"
      className="fixed inset-x-3 bottom-8 z-10 flex items-center gap-3 rounded-card border border-border-strong bg-surface px-3 py-2 text-row shadow-lg sm:left-auto sm:max-w-2xl"
    >
      <p dir="auto" className="min-w-0 flex-1 truncate text-err" title={sentence}>
        {sentence}
      </p>
      <Link
        to="/o/$tenant/settings/ingest"
        params={{ tenant }}
        search={{ project: projectId, outcome: 'rejected' }}
        className="shrink-0 text-accent hover:underline"
      >
        Show
      </Link>
      <Button look="quiet" onClick={() => setDismissed(data.rejected_total)}>
        Dismiss
      </Button>
    </div>
  )
}
