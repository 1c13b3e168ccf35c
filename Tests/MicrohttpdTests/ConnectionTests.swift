import HTTPTypes
import Microhttpd
import TestSupport
import Testing

@Suite struct ConnectionTests {
    @Test func keepsTheConnection() throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            for number in 1...3 {
                try client.send(get("/\(number)"))
                let response = try client.readResponse()
                #expect(response.status == 200)
                #expect(response.text == "GET /\(number) [] ")
                #expect(response["Connection"] == nil)
            }
            try client.send(post("/4", "four"))
            #expect(try client.readResponse().text == "POST /4 [] four")
            try client.send(get("/5"))
            #expect(try client.readResponse().text == "GET /5 [] ")
        }
    }

    @Test func answersPipelinedRequestsInOrder() throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/1") + post("/2", "two") + get("/3"))
            #expect(try client.readResponse().text == "GET /1 [] ")
            #expect(try client.readResponse().text == "POST /2 [] two")
            #expect(try client.readResponse().text == "GET /3 [] ")
        }
    }
}
