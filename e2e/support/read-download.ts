import { text } from 'node:stream/consumers'
import type { Download } from 'playwright-core'

/** The text of a downloaded file. A shared browser runs in another process, so the file has no path here. */
export async function readDownload(download: Download): Promise<string> {
  return text(await download.createReadStream())
}
