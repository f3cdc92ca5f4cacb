import { Radio, RadioTower } from 'lucide-react'
import { describeFailure } from '#lib/describe-failure.ts'
import { formatCount, zoneLabel } from '#lib/fmt.ts'
import { copyText } from '#ui/copy-button.tsx'
import { toast } from '#ui/toast.tsx'
import type { Runs } from './-use-runs.tsx'

/** What the list holds, in one line, and what can be done with the selection. */
export function RunsStatus({ runs, onReload }: { runs: Runs; onReload: () => void }) {
  const { list, rows, selected } = runs
  async function copyIds() {
    if (await copyText([...selected].join('\n'))) toast.done(`${selected.size} ids copied`)
  }
  return (
    <>
      <span role="status">
        {list.isSuccess &&
          `${formatCount(rows.length)}${list.hasNextPage ? '+' : ''} ${rows.length === 1 ? 'row' : 'rows'}`}
      </span>
      {selected.size > 0 && (
        <span className="flex items-center gap-2">
          {formatCount(selected.size)} selected
          <button type="button" className={LINK} onClick={copyIds}>
            Copy ids
          </button>
          <button type="button" className={LINK} onClick={runs.clearSelection}>
            Clear
          </button>
        </span>
      )}
      <span className="ml-auto hidden sm:inline">newest first</span>
      <span className="hidden sm:inline">{zoneLabel('local')}</span>
      <button type="button" className={LINK} onClick={onReload}>
        Read again
      </button>
      {runs.isLive && <LiveMark error={runs.liveError} />}
    </>
  )
}

/** Failing polls are told here, where nothing of the list has to move. */
function LiveMark({ error }: { error: Error | null }) {
  if (error === null) {
    return (
      <span className="flex items-center gap-1">
        <Radio size={12} className="text-ok" aria-hidden />
        live
      </span>
    )
  }
  return (
    <span role="alert" title={describeFailure(error).message} className="flex items-center gap-1 text-err">
      <RadioTower size={12} aria-hidden />
      no live updates; trying again
    </span>
  )
}

const LINK = 'text-accent hover:underline'
