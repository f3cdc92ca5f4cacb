/** What the peek shows of a run. */
export function PeekContent({ runId }: { projectId: string; runId: string }) {
  return <p className="p-3 font-mono text-row">{runId}</p>
}
