import { AlignStartHorizontal, GanttChart, ListTree, type LucideIcon, MessagesSquare, Workflow } from 'lucide-react'
import { cx } from '#lib/browser/cx.ts'
import { TRACE_VIEWS, type TraceViewName } from '#lib/url/trace-search.ts'
import { Tooltip } from '#ui/tooltip.tsx'

const LOOKS: Record<TraceViewName, { label: string; icon: LucideIcon; hint: string }> = {
  tree: { label: 'Tree', icon: ListTree, hint: 'Tree with numbers' },
  waterfall: { label: 'Waterfall', icon: GanttChart, hint: 'Tree beside time' },
  flame: { label: 'Flame', icon: AlignStartHorizontal, hint: 'Time across, depth down' },
  graph: { label: 'Graph', icon: Workflow, hint: 'Who calls whom' },
  thread: { label: 'Thread', icon: MessagesSquare, hint: 'What was said, in order' },
}

/** One trace, several pictures of it. */
export function ViewSwitch({ view, onView }: { view: TraceViewName; onView: (view: TraceViewName) => void }) {
  return (
    <fieldset className="flex rounded-control border border-border">
      <legend className="sr-only">View</legend>
      {TRACE_VIEWS.map((id, index) => {
        const { label, icon: Icon, hint } = LOOKS[id]
        return (
          <Tooltip key={id} label={hint} keys={`shift+${index + 1}`}>
            <button
              type="button"
              aria-pressed={view === id}
              onClick={() => onView(id)}
              className={cx(
                'flex h-6 items-center gap-1.5 px-2 text-row first-of-type:rounded-l-control last-of-type:rounded-r-control coarse:h-10',
                view === id ? 'bg-selected text-fg' : 'text-fg-muted hover:bg-hover',
              )}
            >
              <Icon size={13} aria-hidden />
              <span className="hidden xl:inline">{label}</span>
              <span className="sr-only xl:hidden">{label}</span>
            </button>
          </Tooltip>
        )
      })}
    </fieldset>
  )
}
