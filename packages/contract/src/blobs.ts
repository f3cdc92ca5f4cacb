import { z } from 'zod'
import { route } from './route.ts'

/** Attachments are fetched by browsers and clients without a key; the signed token in the path is the authority. */
export const blobRoutes = {
  read: route({
    method: 'GET',
    path: '/blobs/{token}',
    access: 'public',
    tag: 'runs',
    extension: true,
    summary: 'Bytes of one attachment, until its signed URL expires',
    params: z.object({ token: z.string() }),
  }),
}
