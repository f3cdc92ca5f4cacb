import { useQuery } from '@tanstack/react-query'
import { formatCount, pluralize } from '#lib/format.ts'
import { toBounds } from '#lib/time/time-range.ts'
import type { Activity } from './usage/queries.ts'
import { usageQuery } from './usage/queries.ts'

interface ProjectActivityProps {
  project: { readonly id: string; readonly name: string }
  /** Time range. */
  t: string
}

/** Traces of a project over a time range, with the failed ones, as a sparkline. One request serves all projects. */
export function ProjectActivity({ project, t }: ProjectActivityProps) {
  const since = toBounds(t, Date.now()).from
  const { data } = useQuery({ ...usageQuery.activity(since ?? '', t), enabled: since !== undefined })
  const activity = data?.get(project.id)
  return activity ? <Sparkline {...activity} label={`Activity of ${project.name}`} /> : null
}

const WIDTH = 72
const HEIGHT = 18

/** Failed traces are drawn at the bottom of each bar. */
function Sparkline({ traces, errors, label }: Activity & { label: string }) {
  const peak = Math.max(...traces, 1)
  const step = WIDTH / traces.length
  const draw = (counts: readonly number[]) =>
    counts
      .map((count, at) => {
        if (count === 0) return ''
        const height = Math.max((count / peak) * HEIGHT, 1.5)
        return `M${at * step} ${HEIGHT}v${-height}h${Math.max(step - 1, 1)}v${height}z`
      })
      .join('')
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const failed = sum(errors)
  const facts = [pluralize(sum(traces), 'trace'), ...(failed > 0 ? [`${formatCount(failed)} failed`] : [])]
  return (
    <span title={`${facts.join(', ')}, at most ${formatCount(peak)} per bar`}>
      <svg
        role="img"
        aria-label={`${label}: ${facts.join(', ')}, peak ${formatCount(peak)}`}
        width={WIDTH}
        height={HEIGHT}
        className="inline-block align-middle"
      >
        <path d={draw(traces)} fill="var(--series-slate)" />
        <path d={draw(errors)} fill="var(--err)" />
      </svg>
    </span>
  )
}
