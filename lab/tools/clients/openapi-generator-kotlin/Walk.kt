import org.openapitools.client.apis.PlantsApi
import org.openapitools.client.infrastructure.ApiResponse
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.Success
import org.openapitools.client.models.Error
import org.openapitools.client.models.NewPlant
import org.openapitools.client.models.Plant
import org.openapitools.client.models.StoredPlant

private const val GREATEST = Long.MAX_VALUE
private val CURSOR = Regex("""[?&]after=([^&>]+)[^>]*>; *rel="next"""")

private fun <T> ApiResponse<T?>.seen(status: Int): T {
    check(this is Success && statusCode == status) { "$statusCode instead of $status" }
    return checkNotNull(data)
}

private fun ApiResponse<*>.refuses(status: Int, error: Int) {
    check(this is ClientError && statusCode == status) { "$statusCode instead of $status" }
    val body = Serializer.moshi.adapter(Error::class.java).fromJson(body as String)
    check(body?.error == error) { body.toString() }
}

/** The names of header fields are in lower case. */
private fun ApiResponse<*>.header(name: String) = headers[name]?.single().orEmpty()

/** The walk that every client does. The address comes from the description. */
fun main() {
    val plants = PlantsApi().apply { accessTokenProvider = { System.getenv("TOKEN") } }
    val stranger = PlantsApi()

    for (each in listOf("the create", "its replay")) {
        val created = plants.createPlantWithHttpInfo(NewPlant(GREATEST, "Aloe vera"))
        check(created.seen(200) == Plant("Aloe vera")) { each }
        check(created.header("location").endsWith("/plants/$GREATEST")) { created.headers }
    }
    plants.createPlantWithHttpInfo(NewPlant(GREATEST, "Ficus")).refuses(400, 40009)

    val read = plants.getPlantWithHttpInfo(GREATEST, null)
    check(read.seen(200) == StoredPlant(GREATEST, "Aloe vera"))
    val etag = read.header("etag")

    for (id in 1L..250L) plants.createPlant(NewPlant(id, "Fern", "walk"))
    val ids = mutableListOf<Long>()
    var after: String? = null
    do {
        val page = plants.listPlantsWithHttpInfo(100, "walk", after)
        page.seen(200).mapTo(ids) { it.id }
        after = CURSOR.find(page.header("link"))?.groupValues?.get(1)
    } while (after != null)
    check(ids == (1L..250L).toList()) { ids }

    val renamed = Plant("Aloe barbadensis")
    val replaced = plants.replacePlantWithHttpInfo(GREATEST, renamed, etag, null)
    check(replaced.seen(200) == StoredPlant(GREATEST, "Aloe barbadensis"))
    plants.replacePlantWithHttpInfo(GREATEST, renamed, etag, null).refuses(412, 41200)
    check(plants.getPlantWithHttpInfo(GREATEST, replaced.header("etag")).statusCode == 304)

    check(plants.deletePlantWithHttpInfo(GREATEST, null, null).statusCode == 204)
    plants.getPlantWithHttpInfo(GREATEST, null).refuses(404, 40401)
    stranger.getPlantWithHttpInfo(GREATEST, null).refuses(401, 40100)
    plants.createPlantWithHttpInfo(NewPlant(0, "x".repeat(1025))).refuses(400, 40005)
}
