-- Health of EgressPolicy, RuntimeProfile, SecretBinding and PolicyBundle, as Argo CD asks for it. A newer generation never inherits the
-- success of an older one.
local generation = obj.metadata.generation
if obj.metadata.deletionTimestamp ~= nil then
  return {status = "Progressing", message = "is being deleted"}
end
if obj.status == nil or obj.status.observedGeneration ~= generation then
  return {status = "Progressing", message = "generation " .. generation .. " has not been judged yet"}
end
-- What is waited for, often an object of the same sync: Degraded would end the sync before it comes.
local waiting = {DependencyMissing = true, FloorMissing = true}
-- Somebody has asked for it, with a reason and an end.
local suspended = {DriftAccepted = true}
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "Ready" and condition.observedGeneration == generation then
    local message = condition.reason .. ": " .. condition.message
    if condition.status == "True" then
      return {status = "Healthy", message = condition.message}
    end
    if condition.status == "Unknown" or waiting[condition.reason] then
      return {status = "Progressing", message = message}
    end
    if suspended[condition.reason] then
      return {status = "Suspended", message = message}
    end
    return {status = "Degraded", message = message}
  end
end
return {status = "Progressing", message = "generation " .. generation .. " has not been judged yet"}
