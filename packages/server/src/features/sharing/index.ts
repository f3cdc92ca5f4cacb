export { isOpened, type OpenShare, openShare } from './open-share.ts'
export { sharingRoutes } from './routes.ts'
