import type { Deps } from '../../deps.ts'
import type { App } from '../../http/serve.ts'
import type { RunViewDeps } from '../runs/index.ts'
import type { AddDeps } from './add-items.ts'
import { queueItemRoutes } from './item-routes.ts'
import { queueRoutes } from './queue-routes.ts'
import { queueRunRoutes } from './run-routes.ts'

export function annotationQueueRoutes(app: App, deps: AddDeps & RunViewDeps & Pick<Deps, 'config'>): void {
  queueRoutes(app, deps)
  queueRunRoutes(app, deps)
  queueItemRoutes(app, deps)
}
