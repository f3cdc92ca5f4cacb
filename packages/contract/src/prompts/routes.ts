import type { PlainRoutes } from '../wire/route.ts'

export const prompts = {
  create: { method: 'POST', path: '/repos', access: 'write', errors: 'platform' },
  list: { method: 'GET', path: '/repos', errors: 'platform' },
  listTags: { method: 'GET', path: '/repos/tags', errors: 'platform' },
  deleteMany: { method: 'DELETE', path: '/repos', access: 'write', errors: 'platform' },
  read: { method: 'GET', path: '/repos/{owner}/{repo}', access: 'optional', errors: 'platform' },
  update: { method: 'PATCH', path: '/repos/{owner}/{repo}', access: 'write', errors: 'platform' },
  delete: { method: 'DELETE', path: '/repos/{owner}/{repo}', access: 'write', errors: 'platform' },
  fork: { method: 'POST', path: '/repos/{owner}/{repo}/fork', access: 'write', errors: 'platform' },
  like: { method: 'POST', path: '/likes/{owner}/{repo}', access: 'write', errors: 'platform' },
  listComments: { method: 'GET', path: '/comments/{owner}/{repo}', access: 'optional', errors: 'platform' },
  comment: { method: 'POST', path: '/comments/{owner}/{repo}', access: 'write', errors: 'platform' },
  listReplies: { method: 'GET', path: '/comments/{owner}/{repo}/{comment_id}', access: 'optional', errors: 'platform' },
  reply: { method: 'POST', path: '/comments/{owner}/{repo}/{comment_id}', access: 'write', errors: 'platform' },
  likeComment: {
    method: 'POST',
    path: '/comments/{owner}/{repo}/{comment_id}/like',
    access: 'write',
    errors: 'platform',
  },
  unlikeComment: {
    method: 'DELETE',
    path: '/comments/{owner}/{repo}/{comment_id}/like',
    access: 'write',
    errors: 'platform',
  },
} as const satisfies PlainRoutes

export const promptCommits = {
  create: { method: 'POST', path: '/commits/{owner}/{repo}', access: 'write', errors: 'platform' },
  list: { method: 'GET', path: '/commits/{owner}/{repo}', access: 'optional', errors: 'platform' },
  read: { method: 'GET', path: '/commits/{owner}/{repo}/{commit}', access: 'optional', errors: 'platform' },
  history: { method: 'GET', path: '/repos/{owner}/{repo}/history', access: 'optional', errors: 'platform' },
  listTags: { method: 'GET', path: '/repos/{owner}/{repo}/tags', access: 'optional', errors: 'platform' },
  createTag: { method: 'POST', path: '/repos/{owner}/{repo}/tags', access: 'write', errors: 'platform' },
  readTag: { method: 'GET', path: '/repos/{owner}/{repo}/tags/{tag_name}', access: 'optional', errors: 'platform' },
  moveTag: { method: 'PATCH', path: '/repos/{owner}/{repo}/tags/{tag_name}', access: 'write', errors: 'platform' },
  deleteTag: { method: 'DELETE', path: '/repos/{owner}/{repo}/tags/{tag_name}', access: 'write', errors: 'platform' },
  tagHistory: {
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags/{tag_name}/history',
    access: 'optional',
    errors: 'platform',
  },
} as const satisfies PlainRoutes

export const promptWebhooks = {
  list: { method: 'GET', path: '/prompt-webhooks' },
  create: { method: 'POST', path: '/prompt-webhooks', access: 'admin' },
  read: { method: 'GET', path: '/prompt-webhooks/{webhook_id}' },
  update: { method: 'PATCH', path: '/prompt-webhooks/{webhook_id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/prompt-webhooks/{webhook_id}', access: 'admin' },
  test: { method: 'POST', path: '/prompt-webhooks/test', access: 'admin' },
  deliveries: { method: 'GET', path: '/prompt-webhooks/{webhook_id}/deliveries', access: 'admin' },
  redeliver: {
    method: 'POST',
    path: '/prompt-webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    access: 'admin',
  },
} as const satisfies PlainRoutes

export const promptEnvironments = {
  read: { method: 'GET', path: '/hub/environments' },
  create: { method: 'POST', path: '/hub/environments', access: 'admin' },
  update: { method: 'PATCH', path: '/hub/environments/{id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/hub/environments/{id}', access: 'admin' },
} as const satisfies PlainRoutes

export const hubDirectories = {
  read: { method: 'GET', path: '/hub/repos/{owner}/{repo}/directories', family: 'platform', access: 'optional' },
  commit: {
    method: 'POST',
    path: '/hub/repos/{owner}/{repo}/directories/commits',
    family: 'platform',
    access: 'write',
  },
  delete: { method: 'DELETE', path: '/hub/repos/{owner}/{repo}/directories', family: 'platform', access: 'write' },
} as const satisfies PlainRoutes
