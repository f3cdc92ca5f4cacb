import { useQuery, useQueryClient } from '@tanstack/react-query'
import { knownProject, projectQuery } from '#data/projects.ts'

/** The project, named at once where a list has already loaded it. */
export function useProject(projectId: string) {
  const queryClient = useQueryClient()
  return useQuery({ ...projectQuery.one(projectId), placeholderData: () => knownProject(queryClient, projectId) })
}
