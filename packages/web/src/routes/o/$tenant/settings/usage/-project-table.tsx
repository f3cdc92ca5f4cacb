import { Link } from '@tanstack/react-router'
import type { UsageReport } from '@touchstone/sdk'
import { Button } from '#ui/button.tsx'
import { FigureCells, FigureHeads } from './-figure-cells.tsx'

export interface ProjectTableProps {
  tenant: string
  /** Length of the window; links to runs lead to the same one. */
  days: string
  projects: UsageReport['projects']
  /** The project whose days are shown above. */
  chosen: string | undefined
  onChoose: (projectId: string) => void
}

/** Who recorded how much, most bytes first. */
export function ProjectTable({ tenant, days, projects, chosen, onChoose }: ProjectTableProps) {
  return (
    <section aria-labelledby="by-project" className="rounded-card border border-border bg-surface">
      <h2 id="by-project" className="px-4 py-2 text-form font-semibold">
        By project
      </h2>
      {projects.length === 0 ? (
        <p className="px-4 pb-3 text-row text-fg-muted">Nothing was recorded in this time.</p>
      ) : (
        <table className="w-full text-left text-row">
          <thead className="border-y border-border text-meta text-fg-subtle">
            <tr className="h-7">
              <th scope="col" className="px-3 font-normal">
                Project
              </th>
              <FigureHeads />
              <th scope="col">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {projects.map((project) => (
              <tr key={project.session_id} className="h-9 border-b border-border last:border-b-0 hover:bg-hover">
                <th scope="row" className="max-w-60 truncate px-3 font-medium max-sm:w-full max-sm:max-w-0">
                  <Link
                    to="/o/$tenant/projects/p/$projectId"
                    params={{ tenant, projectId: project.session_id }}
                    search={{ t: `${days}d` }}
                    className="hover:underline"
                  >
                    {project.session_name}
                  </Link>
                </th>
                <FigureCells figures={project} />
                <td className="px-3 text-right max-sm:pl-0">
                  <Button
                    aria-pressed={chosen === project.session_id}
                    aria-label={`Days of ${project.session_name}`}
                    onClick={() => onChoose(project.session_id)}
                    className="aria-pressed:border-accent aria-pressed:bg-selected"
                  >
                    Days
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
