import { z } from 'zod'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'

/** Browsers and clients fetch attachments without a key; the signed token in the path authorizes the request. */
export const blobRoutes = describeRoutes(routes.blobs, 'runs', {
  read: {
    extension: true,
    summary: 'Bytes of one attachment, until its signed URL expires',
    params: z.object({ token: z.string() }),
  },
})
