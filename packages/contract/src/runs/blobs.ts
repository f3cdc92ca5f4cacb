import { z } from 'zod'
import * as routes from '../routes.ts'
import { describeRoutes } from '../wire/route.ts'

/** Browsers and clients fetch attachments without a key; the signed token in the path authorizes the request. */
export const blobRoutes = describeRoutes(routes.blobs, 'runs', {
  read: {
    extension: true,
    summary: 'Bytes of one attachment, until its signed URL expires',
    params: z.object({ token: z.string() }),
  },
})
