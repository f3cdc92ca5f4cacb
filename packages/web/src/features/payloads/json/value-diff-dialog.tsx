import { useQuery } from '@tanstack/react-query'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { Dialog } from '#ui/dialog.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { MarkedValue } from './value-actions.ts'

export interface ValueDiffDialogProps {
  a: MarkedValue
  b: MarkedValue
  onClose: () => void
}

/** Two values side by side: documents by path, texts by line and word. */
export function ValueDiffDialog({ a, b, onClose }: ValueDiffDialogProps) {
  const isText = a.kind === 'string' || b.kind === 'string'
  const diff = useQuery({
    queryKey: ['value-diff', a.text, b.text, isText],
    queryFn: ({ signal }) => askDiff({ kind: isText ? 'text' : 'json', a: a.text, b: b.text }, signal),
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Compare with A"
      description={
        <span className="break-all font-mono text-row">
          - {a.path}
          <br />+ {b.path}
        </span>
      }
      width="max-w-4xl"
    >
      <section
        aria-label="Differences"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys
        tabIndex={0}
        className="max-h-[56vh] overflow-y-auto rounded-card border border-border outline-offset-[-2px]"
      >
        {diff.error ? (
          <ErrorState title="Could not compare the values" error={diff.error} onRetry={() => void diff.refetch()} />
        ) : diff.data ? (
          <DiffView diff={diff.data} />
        ) : (
          <SkeletonRows rows={8} label="Comparing" />
        )}
      </section>
    </Dialog>
  )
}
