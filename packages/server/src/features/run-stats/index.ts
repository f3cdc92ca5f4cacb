export { type RootsWanted, readFacetsOfProject, readFiguresOfProjects } from './figures-of-projects.ts'
export { runStatsRoutes } from './routes.ts'
