import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileQuestion } from 'lucide-react'
import { retentionQuery } from '#features/retention/queries.ts'
import { formatAbsoluteTime, pluralize } from '#lib/format.ts'
import { readIdTime } from '#lib/time/time-range.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { useShortcutRegistry } from '#ui/shortcuts.tsx'
import { EmptyState, PaneBoundary } from '#ui/states.tsx'
import { projectQuery } from './queries.ts'

export interface NotFoundPageProps {
  /** The missing thing, at the start of a sentence: "This run". @default 'This page' */
  what?: string
  id?: string | undefined
}

/** Names what was not found and offers next steps: a search for the id in the URL, the palette, home, recent projects. */
export function NotFoundPage({ what, id = findLastId(location.pathname) }: NotFoundPageProps) {
  const projects = useInfiniteQuery(projectQuery.names())
  const { tenant, projectId, runId } = useParams({ strict: false }) as Partial<Record<string, string>>
  const search = useShortcutRegistry().find('mod+k')
  const isResolver = location.pathname.startsWith('/go/')
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      <title>Not found · Touchstone</title>
      <EmptyState
        icon={FileQuestion}
        heading="h1"
        title={isResolver ? 'No match for this ID' : `${what ?? 'This page'} was not found`}
        actions={
          <>
            {id !== undefined && !isResolver && (
              <Link to="/go/$id" params={{ id }} className={buttonLook('primary')}>
                Search all projects
              </Link>
            )}
            {search && <Button onClick={() => search.run(new KeyboardEvent('keydown'))}>Search or jump</Button>}
            <Link to="/" className={buttonLook()}>
              Home
            </Link>
          </>
        }
      >
        <p className="break-all font-mono text-row">{id ?? location.pathname}</p>
        {isResolver && <p className="mt-2">It may belong to another workspace, or may not have been received yet.</p>}
        {tenant !== undefined && projectId !== undefined && runId !== undefined && runId === id && (
          <PaneBoundary title="Could not load the retention settings">
            <RetentionNote tenant={tenant} projectId={projectId} runId={runId} />
          </PaneBoundary>
        )}
      </EmptyState>
      {projects.data && (
        <nav aria-label="Projects" className="flex flex-wrap justify-center gap-x-4 gap-y-1 px-6 text-row">
          <span className="text-fg-muted">Projects</span>
          {projects.data.pages
            .flat()
            .slice(0, 6)
            .map((project) => (
              <Link
                key={project.id}
                to="/o/$tenant/projects/p/$projectId"
                params={{ tenant: project.tenant_id, projectId: project.id }}
                className="text-accent hover:underline"
              >
                {project.name}
              </Link>
            ))}
        </nav>
      )}
    </main>
  )
}

/** The last id in the path, apart from the workspace at its start. */
function findLastId(path: string): string | undefined {
  return path
    .replace(/^\/o\/[^/]+/, '')
    .match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi)
    ?.at(-1)
}

/** Explains on the page of a missing run whether retention deleted it. */
function RetentionNote({ tenant, projectId, runId }: { tenant: string; projectId: string; runId: string }) {
  const { data } = useQuery(retentionQuery.ofProject(projectId))
  if (!data || data.removes_before === null) return null
  const createdAtMs = readIdTime(runId)
  const wasDeleted = createdAtMs !== undefined && createdAtMs < Date.parse(data.removes_before)
  const days = pluralize(data.effective_days, 'day')
  return (
    <p className="mt-2">
      {wasDeleted
        ? `It started on ${formatDay(new Date(createdAtMs).toISOString())}; this project keeps traces for ${days}, so it was deleted. `
        : `This project keeps traces for ${days} and deletes older ones. `}
      <Link
        to="/o/$tenant/projects/p/$projectId/settings"
        params={{ tenant, projectId }}
        className="text-accent underline"
      >
        Retention
      </Link>
    </p>
  )
}

function formatDay(iso: string): string {
  return formatAbsoluteTime(iso).replace(/ \d\d:.*$/, '')
}
