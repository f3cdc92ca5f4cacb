import type { Run } from '../schemas.ts'

/**
 * Hangs the descendants of a run below it, oldest first, in new objects.
 *
 * A descendant whose parent is not among them hangs on `top`: it has not arrived yet, and leaving the subtree out would
 * hide it.
 *
 * @param others any runs of the same trace
 * @throws when one of them has no parent at all
 */
export function nestRuns(top: Run, others: readonly Run[]): Run {
  const root: Run = { ...top, child_runs: [], child_run_ids: [] }
  const below = others
    .filter((run) => run.dotted_order.startsWith(`${top.dotted_order}.`) && run.id !== top.id)
    .sort((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1))
    .map((run): Run => ({ ...run, child_runs: [] }))
  for (const run of others) {
    if (!run.parent_run_id) throw new Error(`Child run ${run.id} has no parent`)
  }
  const known = new Map([[root.id, root], ...below.map((run): [string, Run] => [run.id, run])])
  for (const run of below) (known.get(run.parent_run_id!) ?? root).child_runs!.push(run)
  root.child_run_ids = below.map((run) => run.id)
  return root
}
