export { type ProjectRow, projects } from '../../storage/relational/tables/projects.ts'
export { FigureCache } from './figure-cache.ts'
export { type ListedProject, listProjects } from './list-projects.ts'
export { presentProject } from './present.ts'
export {
  createFreeProject,
  DEFAULT_PROJECT,
  forgetProjects,
  moveProjectStarts,
  newProject,
  resolveProject,
} from './resolve-project.ts'
export { projectRoutes } from './routes.ts'
export { createProject, type DeleteProjects, updateProjectByRequest } from './save-project.ts'
export { type RunFigures, readStats, type StatsDeps } from './stats.ts'
export {
  countProjects,
  deleteProjectRows,
  detachExperiments,
  experimentsByDataset,
  findProject,
  findProjectByName,
  insertProject,
  selectExperimentIds,
  selectProjectIds,
  selectProjectNames,
  selectProjectsById,
} from './store.ts'
export { usageRoutes } from './usage.ts'
