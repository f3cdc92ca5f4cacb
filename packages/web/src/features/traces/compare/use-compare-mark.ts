import { useNavigate, useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { toast } from '#ui/toast.tsx'
import { compareMark, type MarkedRun } from './marked-run.ts'

/**
 * The command of the key `m`: marks a run for comparison, or compares it with the marked run. On the marked run it
 * removes the mark.
 */
export function useCompareMark(): (run: MarkedRun) => void {
  const navigate = useNavigate()
  const { tenant } = useParams({ strict: false })
  return useCallback(
    (run) => {
      const marked = compareMark.read()
      if (marked?.id === run.id) {
        compareMark.clear()
        toast.done(`${run.name} unmarked`)
      } else if (marked === undefined || tenant === undefined) {
        compareMark.set(run)
        toast.done(`${run.name} marked. Press m on another run to compare them.`)
      } else {
        compareMark.clear()
        void navigate({ to: '/o/$tenant/compare-runs', params: { tenant }, search: { a: marked.id, b: run.id } })
      }
    },
    [navigate, tenant],
  )
}
