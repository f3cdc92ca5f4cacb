import { createFileRoute } from '@tanstack/react-router'
import { RoleGate } from '#features/accounts/role-gate.tsx'
import { ProjectFrame, useProject } from '#features/projects/project-frame.tsx'
import { DefaultViewSection } from '#features/projects/settings/default-view-section.tsx'
import { DeleteProject } from '#features/projects/settings/delete-project.tsx'
import { ProjectGeneralSection } from '#features/projects/settings/general-section.tsx'
import { MessagesSection } from '#features/projects/settings/messages-section.tsx'
import { MetadataSection } from '#features/projects/settings/metadata-section.tsx'
import { ProjectRetention } from '#features/projects/settings/project-retention.tsx'
import { ThreadsSection } from '#features/projects/settings/threads-section.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/settings/')({ component: ProjectSettings })

/** Settings of a project. */
function ProjectSettings() {
  const { tenant, projectId } = Route.useParams()
  const project = useProject(projectId)
  return (
    <ProjectFrame tenant={tenant} projectId={projectId} tab="settings">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its fields may all be disabled, and it must scroll by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-3 outline-offset-[-2px] sm:p-6">
        {project.isPending && <SkeletonRows rows={6} label="Loading the project" />}
        {project.isError && !project.data && (
          <ErrorState title="Could not load the project" error={project.error} onRetry={() => void project.refetch()} />
        )}
        {project.data && (
          <div key={projectId} className="flex max-w-4xl flex-col gap-4">
            <RoleGate least="member">
              <ProjectGeneralSection project={project.data} />
              <DefaultViewSection project={project.data} />
              <MessagesSection project={project.data} />
              <ThreadsSection project={project.data} />
              <MetadataSection project={project.data} />
              <ProjectRetention projectId={projectId} isExperiment={project.data.reference_dataset_id != null} />
              <DeleteProject tenant={tenant} project={project.data} />
            </RoleGate>
          </div>
        )}
      </div>
    </ProjectFrame>
  )
}
