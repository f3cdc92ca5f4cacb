import { contract } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { type App, type Call, RawJson, serve } from '../../http/serve.ts'
import { createConfig, deleteConfigs, listConfigs, updateConfig } from './configs/configs.ts'
import { presentFeedback } from './present.ts'
import { getFeedback, listFeedback } from './read-feedback.ts'
import { countFeedbackByKey } from './stats.ts'
import { createFeedback, deleteFeedback, type SubmitDeps, updateFeedback } from './submit-feedback.ts'
import { type TokenDeps, tokenRoutes } from './tokens/routes.ts'

export function feedbackRoutes(app: App, deps: SubmitDeps & TokenDeps): void {
  const { feedback, feedbackConfigs } = contract

  const create = async (call: Call<typeof feedback.create> | Call<typeof feedback.createEager>) => {
    const { caller, body, bodyText: text } = call
    const given = { body, text, authorId: caller.actorId }
    return new RawJson(presentFeedback(await createFeedback(deps, caller.tenantId, given)))
  }
  serve(app, feedback.create, create)
  serve(app, feedback.createEager, create)

  serve(app, feedback.list, async ({ caller, query }) => listFeedback(deps, caller.tenantId, query))

  serve(
    app,
    feedback.read,
    async ({ caller, params }) =>
      new RawJson(presentFeedback(await getFeedback(deps, caller.tenantId, params.feedback_id))),
  )

  serve(app, feedback.update, async ({ caller, params, body, bodyText }) => {
    const row = await updateFeedback(deps, caller.tenantId, params.feedback_id, body, splitMembers(bodyText))
    return new RawJson(presentFeedback(row))
  })

  serve(app, feedback.delete, ({ caller, params }) => deleteFeedback(deps, caller.tenantId, params.feedback_id))

  serve(app, feedbackConfigs.create, ({ caller, body }) => createConfig(deps, caller, body))
  serve(app, feedbackConfigs.list, ({ caller, query }) => listConfigs(deps, caller.tenantId, query))
  serve(app, feedbackConfigs.usage, ({ caller }) => countFeedbackByKey(deps, caller.tenantId))
  serve(app, feedbackConfigs.update, ({ caller, body }) => updateConfig(deps, caller, body))
  serve(app, feedbackConfigs.delete, ({ caller, query }) => deleteConfigs(deps, caller, query))

  tokenRoutes(app, deps)
}
