import { useNavigate, useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { compareMark, type MarkedRun } from '#lib/runs/marked-run.ts'
import { toast } from '#ui/toast.tsx'

/**
 * What the key `m` does: marks a run, and on a second one opens both side by side. On the marked run itself it takes
 * the mark away.
 */
export function useCompareMark(): (run: MarkedRun) => void {
  const navigate = useNavigate()
  const { tenant } = useParams({ strict: false })
  return useCallback(
    (run) => {
      const marked = compareMark.read()
      if (marked?.id === run.id) {
        compareMark.clear()
        toast.done(`${run.name} is not marked any more`)
      } else if (marked === undefined || tenant === undefined) {
        compareMark.set(run)
        toast.done(`${run.name} is marked. Press m on another run to compare the two.`)
      } else {
        compareMark.clear()
        void navigate({ to: '/o/$tenant/compare-runs', params: { tenant }, search: { a: marked.id, b: run.id } })
      }
    },
    [navigate, tenant],
  )
}
