export { type ProjectRow, projects } from '../../storage/relational/tables/projects.ts'
export { FigureCache } from './figure-cache.ts'
export {
  countProjects,
  findProject,
  findProjectByName,
  selectExperimentIds,
  selectProjectsById,
} from './find-projects.ts'
export { type ListedProject, listProjects } from './list-projects.ts'
export { presentProject } from './present.ts'
export {
  createFreeProject,
  DEFAULT_PROJECT,
  forgetProjects,
  newProject,
  resolveProject,
  resolveThreadKeys,
} from './resolve-project.ts'
export { projectRoutes } from './routes.ts'
export { createProject, type DeleteProjects } from './save-project.ts'
export { type RunFigures, readStats, type StatsDeps } from './stats.ts'
export {
  deleteProjectRows,
  detachExperiments,
  experimentsByDataset,
  insertProject,
  selectProjectIds,
  selectProjectNames,
} from './store.ts'
