import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The UI that was built beside this server, or shipped inside its package. */
export function findWebUi(): string | undefined {
  const places = ['./web', '../../web/dist', '../../../web/dist'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find((path) => existsSync(`${path}/index.html`))
}
